// Renders docs/attributes.md from the table of attributes in src/config/policy.
import { ATTRIBUTE_VOCABULARY } from '../build/src/config/attributes/attribute-vocabulary.js';

const HEAD = `# Attributes

Written by \`npm run generate\` from the table of attributes.

An attribute is a typed value that describes a request or connection. A QuotaSpec names attributes in \`clause\`, and
the policy server counts by them (\`dimensions\` in the file of \`--policyConfig\`).

- A clause or dimension names a whole attribute, \`source.ip\`, or one entry of a map,
  \`request.headers[x-user]\`, \`request.query_params[page]\`, \`request.auth.claims[group]\`. Header names have no case.
- \`exact\`, \`prefix\` and \`regex\` match texts, entries of maps, and IP addresses as they are written (\`10.1.2.3\`).
  They match no number, no \`bool\`, no time, and no map as a whole. Dimensions count by values of all types.
- An attribute that a request does not have meets no condition. A dimension that it does not have counts it together with
  all other requests that do not have it.
- An HTTPAPISpec can set attributes of any name. Quotas can be charged by them like by those below.
- A name that is neither below nor set by an HTTPAPISpec is a warning when the object is applied, and
  [MESH0231](analysis.md#mesh0231) while it holds; an attribute that is known only in reports is
  [MESH0232](analysis.md#mesh0232); a value that the attribute never has is [MESH0233](analysis.md#mesh0233).

`;

/** The whole page, as text. */
export function renderAttributesDoc() {
  return `${HEAD}## Known when a request or connection is checked\n\n${table('check')}
## Known only in reports

Conditions and dimensions cannot use them: quotas are charged before the request is let through.

${table('report')}`;
}

function table(known) {
  const rows = ATTRIBUTE_VOCABULARY.filter((entry) => entry.known === known).map(
    ({ name, type, protocols, setBy, description, values }) => {
      const all = values === undefined ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
      return `| \`${name}\` | ${typeName(type)} | ${protocols} | ${setBy} | ${description}${all} |\n`;
    },
  );
  return `| name | type | traffic | set by | value |\n|---|---|---|---|---|\n${rows.join('')}`;
}

function typeName(type) {
  return type === 'bytes' ? 'IP address' : type === 'stringMap' ? 'map' : type;
}
