/** What the notification of a question says. Pure. */

/** Characters of the text; VS Code cuts what is longer than 1,000, the links with it. */
const LONGEST = 500;

/** The question with its answers as links; a name in it, of a file or an agent, can never be one. */
export function questionText(text: string, titles: readonly string[], command: string, id: string): string {
  const plain = withoutLinks(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  const links = titles.map((title, number) => {
    const words = encodeURIComponent(JSON.stringify([id, number]));
    return `[${title}](command:${command}?${words})`;
  });
  return `${plain} ${links.join(" | ")}`;
}

/** VS Code makes `[words](command:...)` a link in every message. */
function withoutLinks(text: string): string {
  return text.replaceAll("](", "] (");
}
