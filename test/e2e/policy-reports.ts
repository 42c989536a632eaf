import type { Discovery } from '../counterparts/discovery.js';

/** A report as the log has it: attributes by name. */
export type LoggedReport = Readonly<Record<string, unknown>>;

/** The reports among the last lines of a log in JSON. */
export function reportsOf(server: Pick<Discovery, 'logLines'>): readonly LoggedReport[] {
  return server.logLines().flatMap((line) => {
    if (!line.startsWith('{')) return [];
    const { report } = JSON.parse(line) as { readonly report?: LoggedReport };
    return report === undefined ? [] : [report];
  });
}
