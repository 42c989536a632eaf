// Renders docs/analysis.md from the table of message codes in src/status/analysis.
import { MESSAGE_CODES } from '../build/src/status/analysis/message-codes.js';

const HEAD = `# Analysis messages

Written by \`npm run generate\` from the table of codes.

With \`NAV_ENABLE_ANALYSIS=true\`, as \`npm start\` and \`manifests/\` set it, analysis looks at configuration that is
valid by itself and says what is odd about it in the mesh as it is. Each message is logged once when it appears and once
when it goes away (scope \`analysis\`), and is on \`/debug/config_problems\` while it holds, with its code, level, object
and field. In a cluster it is in the object's own \`status.validationMessages\` ([status.md](status.md)), and those of
level Warn and Error are warnings when an object is applied. The variable is false by default: then no analyzer runs,
and the condition \`ResolvedRefs\` is \`Unknown\` with reason \`NotAnalyzed\`.

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
