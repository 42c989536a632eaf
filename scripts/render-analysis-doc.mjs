// Renders docs/analysis.md from the table of message codes in src/status/analysis.
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

| code | level | what it means | what to do |
|---|---|---|---|
`;

/** The whole page, as text. */
export function renderAnalysisDoc() {
  const rows = Object.values(MESSAGE_CODES).map(
    ({ code, level, title, remedy }) =>
      `| <a id="${code.toLowerCase()}"></a>${code} | ${level} | ${cell(title)} | ${cell(remedy)} |\n`,
  );
  return HEAD + rows.join('');
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
