import { createPaint, type Paint, type Tone } from '../base/paint.js';
import { printable } from '../base/printable.js';
import type { MessageLevel } from '../status/analysis/message-codes.js';
import type { Finding, Report } from './finding.js';
import { STDIN } from './read-inputs.js';

export interface TextStyle {
  /** Whether to use colours of a terminal. */
  readonly colors: boolean;
  /** Columns after which lines wrap; undefined: they do not. */
  readonly width: number | undefined;
}

const DOC = 'docs/analysis.md';
/** Shorter lines are harder to read than wrapped ones. */
const MIN_WIDTH = 60;
const MAX_WIDTH = 110;
const INDENT = '  ';

const TONES: Readonly<Record<MessageLevel, Tone>> = { Error: 'bad', Warn: 'warning', Info: 'note' };
const WORDS: Readonly<Record<MessageLevel, string>> = { Error: 'error', Warn: 'warning', Info: 'info' };
const LEVELS: readonly MessageLevel[] = ['Error', 'Warn', 'Info'];

/** The report for people: one block per finding, and a summary. */
export function renderText(report: Report, style: TextStyle): string {
  const paint = createPaint(style.colors);
  const blocks = report.findings.map((finding) => renderFinding(finding, style, paint));
  return `${[...blocks, renderSummary(report, paint)].join('\n\n')}\n`;
}

function renderFinding(finding: Finding, { width }: TextStyle, paint: Paint): string {
  const { code, level, file, line, object, field, message, remedy, excerpt } = finding;
  const head = [
    paint(file === undefined ? 'input' : printable(placeOf(file, line)), 'heading'),
    paint(WORDS[level], TONES[level], 'heading'),
    paint(code, 'dim'),
  ];
  const where = [object === undefined ? [] : shownObject(object), field ?? []].flat();
  const body = [
    ...(where.length === 0 ? [] : [printable(where.join('  '))]),
    ...(excerpt === undefined ? [] : [`${paint(`${line} │`, 'dim')} ${printable(excerpt)}`]),
    ...wrap(printable(message), width),
    ...wrap(`fix: ${remedy}`, width).map((text) => paint(text, 'good')),
    paint(`see ${DOC}#${code.toLowerCase()}`, 'dim'),
  ];
  return [head.join('  '), ...body.map((text) => INDENT + text)].join('\n');
}

/** `file:line`, which terminals and editors open. */
function placeOf(file: string, line: number | undefined): string {
  const name = file === STDIN ? 'stdin' : file;
  return line === undefined ? name : `${name}:${line}`;
}

/** `Kind namespace/name`, as in other messages. */
function shownObject(object: string): string {
  const [kind = '', namespace = '', ...name] = object.split('/');
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name.join('/')}`;
}

function renderSummary({ findings, from, files, objects, skipped, leftOut }: Report, paint: Paint): string {
  const counts = LEVELS.flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : paint(plural(count, WORDS[level] === 'info' ? 'note' : WORDS[level]), TONES[level]);
  });
  const result = counts.length === 0 ? paint('no findings', 'good') : counts.join(', ');
  const read = `${plural(objects, 'object')} in ${from ?? plural(files, 'file')}`;
  const lines = [`${result} in ${read}`];
  if (skipped > 0)
    lines.push(paint(`skipped ${plural(skipped, 'object')} of kinds that the mesh does not read`, 'dim'));
  if (leftOut > 0) {
    const about = `left out ${plural(leftOut, 'message')} about objects that the input lacks`;
    lines.push(paint(`${about}; --complete reports them if the input is the whole mesh`, 'dim'));
  }
  return lines.join('\n');
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Breaks a text at spaces. Words that are longer than a line stay whole, so that they can be copied. */
function wrap(text: string, width: number | undefined): readonly string[] {
  if (width === undefined) return [text];
  const room = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)) - INDENT.length;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
