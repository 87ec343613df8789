/** When something happened, as a person reads it. Pure. */

export function whenText(time: string | undefined): string {
  const moment = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(moment)) {
    return "some time ago";
  }
  const then = new Date(moment);
  const isToday = then.toDateString() === new Date().toDateString();
  const clock = then.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return isToday ? `at ${clock}` : `on ${then.toLocaleDateString()} at ${clock}`;
}
