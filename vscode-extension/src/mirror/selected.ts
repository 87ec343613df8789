/** Which problems of a document are told: the worst first, up to a limit, and none of our own. Pure. */

export const LARGEST = 1_000;
const OWN_SOURCE = "coeditor";

/** As in VS Code: a smaller number is worse. */
interface Problem {
  severity: number;
  source?: string | undefined;
}

export function selected<Found extends Problem>(found: readonly Found[], limit: number = LARGEST): Found[] {
  const others = found.filter((one) => one.source?.toLowerCase() !== OWN_SOURCE);
  if (others.length <= limit) {
    return others;
  }
  return others.sort((a, b) => a.severity - b.severity).slice(0, limit);
}
