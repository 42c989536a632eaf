import { MESSAGE_CODES } from '../../../src/status/analysis/message-codes.js';
import type { Case } from './case-mesh.js';
import type { Told } from './observers.js';

const REMEDIES: ReadonlyMap<string, string> = new Map(
  Object.values(MESSAGE_CODES).map(({ code, remedy }) => [code, remedy]),
);

/** Whether there is any message about the object. */
export function isTold({ analysis }: Told): boolean {
  return analysis.length > 0;
}

/** The places whose messages do not name field, value and remedy; empty if all do. */
export function findSilence(told: Told, { at, shown = '', manifest }: Case): readonly string[] {
  const { admission, analysis, status, isRefused } = told;
  const found = analysis.find(
    ({ field, message }) => message.includes(shown) && (isAbout(field, at) || message.includes(at)),
  );
  if (found === undefined) return [`analysis does not tell of ${at} and ${shown}: ${JSON.stringify(analysis)}`];
  const { code, message } = found;
  const place = found.field ?? at;
  const silent: string[] = [];
  if (isRefused) {
    const object = `${manifest.kind} ${manifest.metadata.namespace}/${manifest.metadata.name}`;
    if (!message.includes(object)) silent.push(`${message} does not name ${object}`);
    if (!/; \S/.test(message)) silent.push(`${message} does not name a remedy`);
  } else if (!message.endsWith(REMEDIES.get(code) ?? 'no such code')) silent.push(`${message} does not name a remedy`);
  const line = admission.find((each) => each.includes(place) && each.includes(isRefused ? message : begin(message)));
  if (line === undefined || !(isRefused || line.endsWith(message) || line.endsWith(`#${code.toLowerCase()}`))) {
    silent.push(`admission does not tell of ${place}: ${message}, but ${JSON.stringify(admission)}`);
  }
  if (!status.some((line) => line.includes(place) && line.includes(message))) {
    silent.push(`no condition tells of ${place}: ${message}, but ${JSON.stringify(status)}`);
  }
  return silent;
}

/** API servers cut lines, so the webhook replaces the end of a long one by a link to the documentation. */
function begin(message: string): string {
  return message.slice(0, 40);
}

/** Whether a field is the place, contains it, or is inside it. */
function isAbout(field: string | undefined, at: string): boolean {
  return field !== undefined && (at === field || isInside(at, field) || isInside(field, at));
}

function isInside(inner: string, outer: string): boolean {
  return inner.startsWith(outer) && /^[.[]/.test(inner.slice(outer.length)) && outer !== 'spec';
}
