// Renders docs/configuration.md from the flag and variable tables of src/cli/settings.
import { commonFlags } from '../build/src/cli/settings/common-flags.js';
import { discoveryFlags } from '../build/src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../build/src/cli/settings/environment-variables.js';
import { versionFlags } from '../build/src/cli/settings/version-flags.js';

const HEAD = `# Configuration

Written by \`npm run generate\` from the tables that also drive parsing, defaults and \`--help\`.

A bad value stops the start with exit code 1 and one line that names the flag or variable, the value and what is
allowed. Durations are in Go's form: \`300ms\`, \`1.5s\`, \`1h30m\`. Lists are separated by commas, or the flag is
repeated. A setting marked † is accepted, but its feature, or one of its values, has not landed: when it is given, the server
says so once at start. A flag marked ‡ is an addition of this implementation to the command line it was specified with.

## A folder as the cluster

\`--configDir\` is read recursively (\`.yaml\`, \`.yml\`, \`.json\`; several documents to a file) and watched. It may
hold core \`Service\`, \`Endpoints\`, \`EndpointSlice\`, \`Pod\`, \`Node\` and \`Namespace\` objects, and
\`ServiceEntry\` and \`WorkloadEntry\` of \`networking.mesh.internal/v1beta1\`. The policy kinds of
\`config.mesh.internal/v1alpha2\` are read, validated and analyzed, and not enforced yet. What a file said last while it was
good is served until it is good again; what is wrong with it is in the log and on \`/debug/config_problems\`.

\`--meshConfig\` and \`--networksConfig\` name one YAML file each; both are read again when they change, and a bad
change is reported and ignored. A missing file means the defaults.
`;

/** The whole page, as text. */
export async function renderConfigurationDoc() {
  const variables = Object.values(environmentVariables).sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    HEAD,
    '## Flags of `discovery`\n',
    flagTable(discoveryFlags),
    '## Flags of `version`\n',
    flagTable(versionFlags),
    '## Flags of every command\n',
    flagTable(commonFlags),
    '## Environment variables\n',
    table(
      ['variable', 'type', 'default', 'meaning'],
      variables.map((variable) => [
        `\`${variable.name}\`${mark(variable)}`,
        variable.type.name,
        code(variable.default),
        variable.meaning + (variable.whenUnset === undefined ? '' : `; when not set: ${variable.whenUnset}`),
      ]),
    ),
  ].join('\n');
}

function flagTable(flags) {
  return table(
    ['flag', 'type', 'default', 'meaning'],
    Object.values(flags).map((flag) => [
      `\`--${flag.name}\`${flag.shorthand === undefined ? '' : `, \`-${flag.shorthand}\``}${mark(flag)}`,
      flag.type.name,
      code(flag.default),
      flag.meaning,
    ]),
  );
}

function mark(setting) {
  return `${setting.unlanded === undefined ? '' : ' †'}${setting.addition === true ? ' ‡' : ''}`;
}

function code(text) {
  return text === undefined || text === '' ? '' : `\`${text}\``;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
