import { type BaseContext, Command } from 'clipanion';
import { type BuildInfo, readBuildInfo } from '../../telemetry/build-info.js';
import type { CommandContext } from '../command-context.js';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import { readSettings } from '../settings/read-settings.js';
import { versionFlags } from '../settings/version-flags.js';
import { ReportedCommand } from './reported-command.js';

/** `navigator-discovery version [flags]` (SPEC 4.3, BEHAVIOUR 2), and the same of `navigator-policy`. */
export class VersionCommand<Environment extends BaseContext> extends ReportedCommand<CommandContext<Environment>> {
  static override paths = [['version']];
  static override usage = Command.Usage({ description: 'Prints build version information.' });

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
        // Loaded here, so that the plain form starts fast.
        const { dump } = await import('js-yaml');
        this.context.stdout.write(`${dump(versionDocument(info))}\n`);
      }
    }
  }
}

function versionDocument({ version, revision, runtime, status, tag }: BuildInfo) {
  return { clientVersion: { version, revision, golang_version: runtime, status, tag } };
}

/** The full text; field names as BEHAVIOUR 2 gives them. */
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
