// Renders docs/attributes.md from the table of attributes in src/config/policy.
import { ATTRIBUTE_VOCABULARY } from '../build/src/config/attributes/attribute-vocabulary.js';

const HEAD = `# Attributes

\`npm run generate\` writes this page from the table of attributes.

An attribute is a typed value that describes a request or connection. A QuotaSpec tests attributes in \`clause\`, and the
policy server counts by their values (\`dimensions\` in the file of \`--policyConfig\`).

- A clause or dimension names a whole attribute, \`source.ip\`, or one entry of a map,
  \`request.headers[x-user]\`, \`request.query_params[page]\`, \`request.auth.claims[group]\`. Header names are case-insensitive.
- \`exact\`, \`prefix\` and \`regex\` match texts, entries of maps, and IP addresses as they are written (\`10.1.2.3\`).
  They do not match numbers, booleans, times, or whole maps. Dimensions can use values of all types.
- If a request does not have an attribute, no condition on it matches. All requests without a dimension are counted together.
- An HTTPAPISpec can set attributes with any name but \`destination.service.namespace\`, by which rules of a namespace know its services.
  Conditions and dimensions can use them like the attributes below.
- \`kubectl apply\` warns about a name that is neither below nor set by an HTTPAPISpec
  ([MESH0231](analysis.md#mesh0231)), an attribute that is known only in reports ([MESH0232](analysis.md#mesh0232)), and a
  value that the attribute never has ([MESH0233](analysis.md#mesh0233)).

`;

/** The whole page, as text. */
export function renderAttributesDoc() {
  return `${HEAD}## Known when a request or connection is checked\n\n${table('check')}
## Known only in reports

Conditions and dimensions cannot use these attributes, because quotas are charged before the request is forwarded.

${table('report')}
## Read next

- [policies](policies.md): quotas that use attributes
- [policy kinds](reference/policy-kinds.md): attributes that an HTTPAPISpec sets
`;
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
