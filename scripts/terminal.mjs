// Words and colours for people at a terminal. Colours only where a terminal shows them.
const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined && process.env.TERM !== 'dumb';
const paint = (code) => (text) => (colours ? `\u001B[${code}m${text}\u001B[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
export const cyan = paint(36);

/** A line about progress. */
export function note(text) {
  process.stdout.write(`${dim(text)}\n`);
}

/** A line that must not be overlooked. */
export function warn(text) {
  process.stdout.write(`${yellow(bold('!'))} ${text}\n`);
}
