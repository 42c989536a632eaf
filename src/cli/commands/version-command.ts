import { type BaseContext, Command } from 'clipanion';
import { type BuildInfo, readBuildInfo } from '../../telemetry/build-info.js';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import type { CommandContext } from '../program.js';
import { readSettings } from '../settings/read-settings.js';
import type { FlagTable } from '../settings/setting.js';
import { bool, oneOf } from '../values/scalar-types.js';
import { ReportedCommand } from './reported-command.js';

const OUTPUT_FORMATS = ['', 'yaml', 'json'] as const;

/** The values of the flags of the `version` command. */
export interface VersionFlags {
  readonly output: (typeof OUTPUT_FORMATS)[number];
  readonly short: boolean;
}

/** The flags of the `version` command (docs/reference/http.md#version-command). */
export const versionFlags: FlagTable<VersionFlags> = {
  output: {
    name: 'output',
    shorthand: 'o',
    // The text for an invalid value is that of docs/reference/http.md#version-command.
    type: {
      name: 'string',
      parse: (occurrences) => {
        const parsed = oneOf(OUTPUT_FORMATS).parse(occurrences);
        return parsed.ok ? parsed : { ok: false, allowed: "'yaml' or 'json'" };
      },
    },
    default: '',
    meaning: "One of 'yaml' or 'json'",
  },
  short: {
    name: 'short',
    shorthand: 's',
    type: bool,
    default: 'true',
    meaning: 'Print only the version; --short=false prints all build information',
  },
};

/**
 * `navigator-discovery version [flags]` and `navigator-policy version [flags]`
 * (docs/reference/http.md#version-command).
 */
export class VersionCommand<Environment extends BaseContext> extends ReportedCommand<CommandContext<Environment>> {
  static override paths = [['version']];
  static override usage = Command.Usage({ description: 'Prints the version of this build.' });

  protected override async perform(): Promise<void> {
    parseCommonFlags(this.context.flags);
    const { output, short } = readSettings(versionFlags, flagSource(this.context.flags)).fields;
    const info = readBuildInfo();
    switch (output) {
      case '':
        this.context.stdout.write(`${short ? info.version : formatBuildInfo(info)}\n`);
        return;
      case 'json':
        this.context.stdout.write(`${JSON.stringify(versionDocument(info), undefined, 2)}\n`);
        return;
      case 'yaml': {
        // Loaded on demand, so that the plain form starts fast.
        const { dump } = await import('js-yaml');
        this.context.stdout.write(`${dump(versionDocument(info))}\n`);
      }
    }
  }
}

function versionDocument({ version, revision, runtime, status, tag }: BuildInfo) {
  return { clientVersion: { version, revision, golang_version: runtime, status, tag } };
}

/** The full version (docs/reference/http.md#version-command). */
function formatBuildInfo({ version, revision, runtime, status, tag }: BuildInfo): string {
  const fields = Object.entries({
    Version: version,
    GitRevision: revision,
    GolangVersion: runtime,
    BuildStatus: status,
    GitTag: tag,
  });
  return `version.BuildInfo{${fields.map(([name, value]) => `${name}:${JSON.stringify(value)}`).join(', ')}}`;
}
