import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { makeEnvironment, readyEnvironment, type Making } from "../src/server/environment";

/** Programs that say which words they were called with; `venv` makes what a venv has, as far as it matters here. */
const venv = (version: string, able: string, pip = ""): string => `#!/bin/sh
echo "$0 $*" >> "$CALLS"
case "$*" in
  -c*) echo "${version} ${able}" ;;
  *venv*) for place; do :; done; /bin/mkdir -p "$place/bin"; /bin/cp "$0" "$place/bin/python"; echo > "$place/bin/coeditor" ;;
  *pip*) ${pip || "echo installed"} ;;
esac
`;

interface Bench {
  storage: string;
  wheel: string;
  making: Making;
  told: string[];
  program: (name: string, text: string) => void;
  calls: () => string;
}

function bench(context: TestContext): Bench {
  const base = mkdtempSync(join(tmpdir(), "environment-"));
  const bin = join(base, "bin");
  mkdirSync(bin);
  const wheel = join(base, "coeditor-0.1.0-py3-none-any.whl");
  writeFileSync(wheel, "a wheel");
  process.env.CALLS = join(base, "calls");
  const told: string[] = [];
  const making: Making = {
    path: bin,
    signal: new AbortController().signal,
    report: (message) => told.push(message),
    note: () => undefined,
  };
  context.after(() => { rmSync(base, { recursive: true }); });
  return {
    storage: join(base, "storage"),
    wheel,
    making,
    told,
    program: (name, text) => { writeFileSync(join(bin, name), text, { mode: 0o755 }); },
    calls: () => (existsSync(join(base, "calls")) ? readFileSync(join(base, "calls"), "utf8") : ""),
  };
}

test("a recent Python makes it once, and then nothing is run any more", async (context) => {
  const { storage, wheel, making, told, program, calls } = bench(context);
  program("python3", venv("3.9.18", "1"));
  program("python3.12", venv("3.12.4", "1"));
  const made = await makeEnvironment(storage, wheel, making);
  assert.match(made, /coeditor-0\.1\.0-[0-9a-f]{12}\/bin\/coeditor$/);
  assert.match(calls(), /python3\.12 -m venv .*\n.*\/bin\/python -m pip install .*a?coeditor-0\.1\.0-py3-none-any\.whl/);
  assert.deepEqual(told.map((one) => one.split(" ")[0]), ["looking", "making", "installing"]);
  const before = calls();
  assert.equal(readyEnvironment(storage, wheel), made);
  assert.equal(await makeEnvironment(storage, wheel, making), made);
  assert.equal(calls(), before);
});

const remedies: [string, Record<string, string>, RegExp][] = [
  ["no Python", {}, /needs Python 3\.11 or newer, and no Python was found.*Install one, or uv, then try again/],
  ["too old", { python3: venv("3.9.18", "1") }, /there is only Python 3\.9\.18 \(.*python3\)\. Install a newer one, or uv/],
  ["without venv", { python3: venv("3.11.2", "0") }, /Python 3\.11\.2 \(.*\) cannot make environments.*python3-venv/],
  ["broken", { python3: "#!/bin/sh\nexit 1\n" }, /no Python was found/],
  [
    "no index",
    { python3: venv("3.11.2", "1", 'echo "No matching distribution"; exit 1') },
    /could not be installed.*package index.*: No matching distribution/,
  ],
  ["uv fails", { uv: '#!/bin/sh\necho "no interpreter"; exit 2\n' }, /no Python was found.*: no interpreter/],
];
for (const [name, programs, wanted] of remedies) {
  test(`remedy: ${name}`, async (context) => {
    const { storage, wheel, making, program } = bench(context);
    Object.entries(programs).forEach(([file, text]) => { program(file, text); });
    await assert.rejects(makeEnvironment(storage, wheel, making), (error: Error) => wanted.test(error.message) || assert.fail(error.message));
    assert.equal(readyEnvironment(storage, wheel), undefined);
    program("python3", venv("3.13.0", "1"));
    assert.ok(await makeEnvironment(storage, wheel, making), "what was mended works at the next try");
  });
}

test("uv makes it where there is no Python that can", async (context) => {
  const { storage, wheel, making, program, calls } = bench(context);
  program("python3", venv("3.9.1", "1"));
  program("uv", venv("", ""));
  assert.ok(await makeEnvironment(storage, wheel, making));
  assert.match(calls(), /uv venv --python >=3\.11 .*\n.*uv pip install --python .*\/bin\/python .*\.whl/);
});

test("an environment whose Python went away is made anew", async (context) => {
  const { storage, wheel, making, program } = bench(context);
  program("python3", venv("3.12.0", "1"));
  const made = await makeEnvironment(storage, wheel, making);
  const inside = join(made, "..", "python");
  rmSync(inside);
  symlinkSync("/nowhere/python3", inside);
  assert.equal(readyEnvironment(storage, wheel), undefined);
  assert.equal(await makeEnvironment(storage, wheel, making), made);
});

test("two windows at once make one", async (context) => {
  const { storage, wheel, making, program, calls } = bench(context);
  program("python3", venv("3.12.0", "1"));
  const [one, two] = await Promise.all([1, 2].map(() => makeEnvironment(storage, wheel, making)));
  assert.equal(one, two);
  assert.equal(calls().match(/-m venv/g)?.length, 1);
});

test("a lock of a window that is gone is no lock, and what was long unused goes", async (context) => {
  const { storage, wheel, making, program } = bench(context);
  program("python3", venv("3.12.0", "1"));
  const first = await makeEnvironment(storage, wheel, making);
  const old = new Date(Date.now() - 31 * 24 * 3_600_000);
  utimesSync(join(first, "..", "..", "complete"), old, old);
  writeFileSync(wheel, "another wheel");
  const second = await makeEnvironment(storage, wheel, making);
  assert.notEqual(second, first);
  assert.ok(existsSync(second) && !existsSync(first));
  const place = join(second, "..", "..");
  rmSync(place, { recursive: true });
  const left = ["999999999-0a", "0-0b", "x"].map((end) => `${place}.lock-${end}`);
  left.forEach((lock) => { writeFileSync(lock, ""); });
  assert.equal(await makeEnvironment(storage, wheel, making), second);
  assert.deepEqual(left.filter(existsSync), []);
});

test("where nothing can be written it says so at once", async (context) => {
  const { storage, wheel, making } = bench(context);
  const long = join(dirname(wheel), `c-${"1".repeat(240)}-x.whl`); // with the lock's ending no name of a file
  writeFileSync(long, "a wheel");
  await assert.rejects(makeEnvironment(storage, long, making), { code: "ENAMETOOLONG" });
});

test("waiting for another window can be cancelled", async (context) => {
  const { storage, wheel, making, told, program } = bench(context);
  program("python3", venv("3.12.0", "1"));
  const made = await makeEnvironment(storage, wheel, making);
  const place = join(made, "..", "..");
  rmSync(place, { recursive: true });
  const lock = `${place}.lock-${process.pid}-other`;
  writeFileSync(lock, "");
  const abort = new AbortController();
  told.length = 0;
  const waiting = makeEnvironment(storage, wheel, { ...making, signal: abort.signal });
  assert.match(told.join(), /waiting for another window/);
  abort.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.ok(existsSync(lock), "it is the other window's");
});
