import { pathToFileURL } from 'node:url';
import { jsonText } from '../base/printable.js';
import type { MessageLevel } from '../status/analysis/message-codes.js';
import { MESSAGE_CODES } from '../status/analysis/message-codes.js';
import type { Finding, Report } from './finding.js';

const LEVELS: Readonly<Record<MessageLevel, string>> = { Error: 'error', Warn: 'warning', Info: 'note' };

/**
 * The report in SARIF 2.1.0, which code hosts show beside the lines of a change. Each code is a rule.
 *
 * @param version of this program
 */
export function renderSarif({ findings }: Report, version: string): string {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'navigator-discovery', version, rules: codes.map(ruleOf) } },
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: codes.indexOf(finding.code),
          level: LEVELS[finding.level],
          message: { text: `${finding.message}; ${finding.remedy}` },
          locations: [locationOf(finding)],
        })),
      },
    ],
  };
  return jsonText(log);
}

function ruleOf(code: string) {
  const known = Object.values(MESSAGE_CODES).find((each) => each.code === code);
  return {
    id: code,
    ...(known === undefined
      ? {}
      : {
          shortDescription: { text: known.title },
          help: { text: known.remedy },
          defaultConfiguration: { level: LEVELS[known.level] },
        }),
  };
}

function locationOf({ file, line, excerpt, object, field }: Finding) {
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(excerpt && { snippet: { text: excerpt } }) } };
  const name = [object, field].filter((part) => part !== undefined).join(' ');
  return {
    ...(file === undefined ? {} : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }),
    ...(name === '' ? {} : { logicalLocations: [{ fullyQualifiedName: name, kind: 'object' }] }),
  };
}

/** Relative paths stay relative: code hosts find them in the repository. */
function uriOf(file: string): string {
  if (file === '-') return 'stdin';
  return file.startsWith('/') ? pathToFileURL(file).href : file.split('/').map(encodeURIComponent).join('/');
}
