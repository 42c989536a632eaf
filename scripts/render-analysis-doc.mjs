// Renders docs/analysis.md from the table of message codes in src/status/analysis, with links to docs/analysis-examples.
import { existsSync } from 'node:fs';
import { MESSAGE_CODES } from '../build/src/status/analysis/message-codes.js';

const HEAD = `# Analysis messages

\`npm run generate\` writes this page from the table of codes.

Analysis finds objects that are valid, but have no effect or look wrong in this mesh. \`NAV_ENABLE_ANALYSIS=true\` turns it on;
\`npm start\` and \`manifests/\` set that. The default is false: then no analyzer runs, and the condition \`ResolvedRefs\` is
\`Unknown\` with reason \`NotAnalyzed\`.

| where | messages |
|---|---|
| log, scope \`analysis\` | each message once when it appears, and once when it is resolved |
| \`/debug/config_problems\` | all present messages, with code, level, object and field |
| \`status.validationMessages\` of the object, in a cluster | the messages of the object ([status.md](status.md)) |
| warnings of \`kubectl apply\` | messages of level Warn and Error about the object |
| \`navigator-discovery analyze\` | all messages about the objects of files, without a server |

## In pipelines

\`navigator-discovery analyze\` finds mistakes before objects are applied. It reads files, folders, and \`-\` for standard input:

\`\`\`console
$ navigator-discovery analyze routes/
routes/reviews.yaml:14  error  MESH0106
  ServiceEntry shop/payments  spec.ports[0].number
  14 │ - {number: 0, name: https, protocol: HTTPS}
  0 is out of range
  fix: use 1 to 65535
  see docs/analysis.md#mesh0106

1 error in 3 objects in 1 file
$ kubectl get quotaspecs,quotaspecbindings,services -A -o yaml | navigator-discovery analyze --output json -
\`\`\`

The exit code is 2 if a finding reaches \`--failure-threshold\` (\`error\`, \`warn\` or \`info\`; default \`error\`), 1 if the input cannot be
read, and 0 otherwise. Messages marked with † in the table say that an object does not exist. They are left out unless \`--complete\`
says that the input is the whole mesh. Messages marked with ‡ depend on the mesh config. They are left out without \`--meshConfig\`.
[The reference](reference/http.md#analyze-command) has all rules.

## Codes

The files of [analysis-examples](analysis-examples) cause one message each, at the line that names its code.

| code | level | what it means | what to do | example |
|---|---|---|---|---|
`;

const MARKS = { wholeMesh: ' †', meshConfig: ' ‡' };

const READ_NEXT = `
## Read next

- [validation](validation.md): objects that are rejected
- [status](status.md): where messages show in a cluster
`;

/** The whole page, as text. */
export function renderAnalysisDoc() {
  const rows = Object.values(MESSAGE_CODES).map(
    ({ code, level, title, remedy, needs }) =>
      `| <a id="${code.toLowerCase()}"></a>${code}${MARKS[needs] ?? ''} | ${level} | ${cell(title)} | ${cell(remedy)} | ${exampleOf(code)} |\n`,
  );
  return `${HEAD}${rows.join('')}${READ_NEXT}`;
}

function exampleOf(code) {
  const file = `analysis-examples/${code.toLowerCase()}.yaml`;
  return existsSync(new URL(`../docs/${file}`, import.meta.url)) ? `[file](${file})` : '';
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
