/** How long to wait before a server that ended is started again. Pure. */

const FIRST_MS = 100;
const LONGEST_MS = 30_000;
/** A server that ran this long was well: the next end counts as the first one. */
const WELL_MS = 60_000;

export class Backoff {
  private ends = 0;
  private lastEnd = Number.NEGATIVE_INFINITY;

  /** The server ended at `now` (ms); gives the wait in ms. */
  next(now: number): number {
    if (now - this.lastEnd > WELL_MS + LONGEST_MS) {
      this.ends = 0;
    }
    this.lastEnd = now;
    this.ends += 1;
    return Math.min(FIRST_MS * 4 ** (this.ends - 1), LONGEST_MS);
  }

  /** Whether the person is to be told: once in a row of ends, and once more when it does not get better. */
  get isWorthTelling(): boolean {
    return this.ends === 1 || this.ends === 5;
  }

  reset(): void {
    this.ends = 0;
    this.lastEnd = Number.NEGATIVE_INFINITY;
  }
}
