/** A shell script that runs Coeditor by its whole command. Pure. */

export function launcher(program: readonly string[]): string {
  return `#!/bin/sh\nexec ${program.map(quoted).join(" ")} "$@"\n`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
