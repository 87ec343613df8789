import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../src/server/backoff";

test("each end in a row waits longer, up to a limit, and the person is told twice", () => {
  const backoff = new Backoff();
  const waits: number[] = [];
  const told: number[] = [];
  for (let end = 1, now = 0; end <= 8; end += 1) {
    const wait = backoff.next(now);
    waits.push(wait);
    now += wait + 10;
    if (backoff.isWorthTelling) {
      told.push(end);
    }
  }
  assert.deepEqual(waits, [100, 400, 1_600, 6_400, 25_600, 30_000, 30_000, 30_000]);
  assert.deepEqual(told, [1, 5]);
});

test("a server that ran well for a while starts a new row", () => {
  const backoff = new Backoff();
  backoff.next(0);
  backoff.next(500);
  assert.equal(backoff.next(500 + 3_600_000), 100);
  assert.ok(backoff.isWorthTelling);
});

test("a restart by hand starts a new row", () => {
  const backoff = new Backoff();
  backoff.next(0);
  backoff.reset();
  assert.equal(backoff.next(1), 100);
});
