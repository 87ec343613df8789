import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist/", "dist-test/", "node_modules/"] },
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    extends: [eslint.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", { max: 60, skipComments: true }],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // node:test keeps the promises of its own tests.
      "@typescript-eslint/no-floating-promises": "off",
      "max-lines-per-function": "off",
      // A test that finds nothing there fails anyway.
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
);
