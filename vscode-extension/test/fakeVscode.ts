/**
 * Stands for VS Code where the extension is loaded outside it: whatever has to be disposed of is counted until it is.
 * Never: a behaviour that a test looks at; that is what the tests in the real window are for.
 */
import { readdirSync, readFileSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";

interface Loading {
  _load: (request: string, ...more: unknown[]) => unknown;
}

export type Code = typeof import("vscode");

/**
 * From now on `require("vscode")` gives the fake, whose parts a test may replace; `live` is what was made and not
 * disposed of, by what made it.
 */
export function fakeVscode(): { vscode: Code; live: () => string[] } {
  const live = new Map<object, string>();
  const counted = (name: string, more: object = {}): object => {
    const found = { ...more, dispose: () => { live.delete(found); } };
    live.set(found, name);
    return found;
  };

  class Disposable {
    static from(...parts: { dispose(): unknown }[]): Disposable {
      return new Disposable(() => { parts.forEach((part) => part.dispose()); });
    }
    constructor(readonly dispose: () => void) {}
  }

  /** Any part of it is there, and can be called or made. */
  function thing(name: string): object {
    const parts = new Map<PropertyKey, unknown>();
    return new Proxy(function () { return undefined; }, {
      get: (target, part) => {
        if (part === "prototype") {
          return target.prototype as unknown;
        }
        if (typeof part === "symbol" || part === "then") {
          return undefined;
        }
        if (!parts.has(part)) {
          parts.set(part, KNOWN.has(part) ? known[part as keyof typeof known] : thing(`${name}.${part}`));
        }
        return parts.get(part);
      },
      set: (_, part, value) => {
        parts.set(part, value);
        return true;
      },
      apply: () => {
        const last = name.split(".").pop() ?? "";
        return /^(register|create|on[A-Z])/.test(last) ? counted(name, ITEM) : Promise.resolve();
      },
      construct: () => thing(`new ${name}`),
    });
  }
  const known = {
    Disposable,
    EventEmitter: class {
      readonly event = (): object => counted("listener");
      readonly fire = (): undefined => undefined;
      constructor() {
        return counted("EventEmitter", { event: this.event, fire: this.fire }) as this;
      }
    },
    workspaceFolders: [],
    textDocuments: [],
    notebookDocuments: [],
    visibleTextEditors: [],
  };
  const KNOWN = new Set<PropertyKey>(Object.keys(known));

  const names = [...sources().matchAll(/\bvscode\.(\w+)/g)].map(([, name]) => name ?? "");
  const root = Object.fromEntries(names.map((name) => [name, KNOWN.has(name) ? known[name as keyof typeof known] : thing(name)]));
  const loading = Module as unknown as Loading;
  const load = loading._load.bind(loading);
  loading._load = (request, ...more) => (request === "vscode" ? root : load(request, ...more));
  return { vscode: root as unknown as Code, live: () => [...live.values()] };
}

function sources(): string {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.map((name) => readFileSync(join("src", name), "utf8")).join("");
}

/** What things of VS Code's that are made have, as far as it is called while a window starts. */
const ITEM = {
  show: (): undefined => undefined,
  info: (): undefined => undefined,
  error: (): undefined => undefined,
  debug: (): undefined => undefined,
};
