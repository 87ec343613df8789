// Drives the window of VS Code with a real browser: one JSON object a line in, one out. Started by workbench.py.
"use strict";
const readline = require("node:readline");
const { chromium } = require(process.argv[2]);

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];
const EDITOR = ".editor-group-container.active .monaco-editor .editor-scrollable";
let browser;
let context;
let front;
const pages = [];
process.stdout.on("error", () => undefined); // whoever asked is gone: the end of stdin ends this process in good order
const log = [];

const operations = {
  // One more window, in the same browser as those before; `window` in the other operations counts from 0.
  open: async ({ url, executable, milliseconds }) => {
    browser ??= await chromium.launch({ executablePath: executable, headless: true, args: FLAGS });
    context ??= await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const page = await context.newPage();
    pages.push(page);
    page.setDefaultTimeout(milliseconds);
    page.on("console", (message) => log.push(`${message.type()} ${message.text()}`));
    page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
    const starting = { timeout: 3 * milliseconds };
    await page.goto(url, starting);
    await page.waitForSelector(".monaco-workbench .part.editor", starting);
    return pages.length - 1;
  },
  // Into the first visible line of the active editor, where a person would click; its lines may be scrolled away.
  focus: async ({ page }) => {
    await page.locator(EDITOR).first().click({ position: { x: 5, y: 8 } });
  },
  press: async ({ page, keys }) => {
    for (const key of keys) await page.keyboard.press(key);
  },
  type: async ({ page, text, delay }) => page.keyboard.type(text, { delay }),
  wait: async ({ page, selector, state }) => void (await page.waitForSelector(selector, { state: state ?? "visible" })),
  hover: async ({ page, selector }) => page.locator(selector).first().hover(),
  click: async ({ page, selector }) => page.locator(selector).first().click(),
  texts: ({ page, selector }) => page.locator(selector).allInnerTexts(),
  attribute: ({ page, selector, name }) => page.locator(selector).first().getAttribute(name),
  style: ({ page, selector, name }) =>
    page.locator(selector).first().evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name),
  // How long each key took until it was drawn, since this was asked before; the first time nothing.
  keyTimes: ({ page }) => page.evaluate(() => {
    const found = globalThis.keyTimes ?? [];
    if (globalThis.keyTimes === undefined) {
      globalThis.addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel(); // its message comes once the frame is drawn
        port1.onmessage = () => globalThis.keyTimes.push(performance.now() - timeStamp);
        port2.postMessage(0);
      }), true);
    }
    globalThis.keyTimes = [];
    return found;
  }),
  screenshot: async ({ page, path, clip }) => void (await page.screenshot({ path, clip })),
  leave: async ({ page }) => {
    await page.close({ runBeforeUnload: true });
    await pages[0].bringToFront();
  },
  log: () => log,
  close: async () => browser?.close(),
};

readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, op, window, ...params } = JSON.parse(line);
  let answer;
  try {
    const page = pages[window ?? 0];
    // A person works in one window at a time; what is behind it is drawn seldom.
    if (page !== undefined && page !== front && op !== "open") await page.bringToFront();
    front = op === "open" ? undefined : page;
    answer = { id, result: (await operations[op]({ page, ...params })) ?? null };
  } catch (error) {
    answer = { id, error: String(error?.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  if (op === "close") process.exit(0);
}).on("close", async () => {
  await browser?.close();
  process.exit(0);
});
