/** How good the news is that a text tells, or its place in the layout. */
export type Tone = 'good' | 'note' | 'warning' | 'bad' | 'dim' | 'heading';

const SGR: Readonly<Record<Tone, number>> = { good: 32, note: 34, warning: 33, bad: 31, dim: 2, heading: 1 };

/** Paints a text on a terminal with colours; elsewhere the text stays as it is. */
export type Paint = (text: string, ...tones: readonly Tone[]) => string;

export function createPaint(colors: boolean): Paint {
  return (text, ...tones) =>
    colors && tones.length > 0 ? `\u001B[${tones.map((tone) => SGR[tone]).join(';')}m${text}\u001B[0m` : text;
}
