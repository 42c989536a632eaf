// Turns one of our JSON schemas into the structural form that a CustomResourceDefinition takes: a type everywhere,
// no additionalProperties: false (the API server prunes unknown fields by itself), no field required that has a default
// (the API server fills it in), and choices in the forms whose refusals name the field: the API server says `<nil>` for
// what breaks a `oneOf` or a `not`.

/** Keywords that mean the same in both. */
const KEPT = ['description', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties', 'minimum'];
const INT32_MAX = 2147483647;

export function structuralSchema(node) {
  if (node.anyOf !== undefined) return intOrString(node);
  const type = node.type ?? enumType(node);
  const schema = { type, ...keep(node) };
  if (node.maximum !== undefined) schema.maximum = node.maximum;
  if (node.enum !== undefined) schema.enum = node.enum;
  if (node.default !== undefined) schema.default = node.default;
  if (type === 'integer') schema.format = node.maximum <= INT32_MAX ? 'int32' : 'int64';
  if (type === 'number') schema.format = 'double';
  if (type === 'array') schema.items = structuralSchema(node.items);
  if (type === 'object') Object.assign(schema, objectPart(node));
  return schema;
}

function objectPart({ properties, additionalProperties, required = [], oneOf, allOf }) {
  if (additionalProperties === true) return { 'x-kubernetes-preserve-unknown-fields': true };
  if (properties === undefined) return { additionalProperties: structuralSchema(additionalProperties) };
  const needed = required.filter((name) => properties[name].default === undefined);
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, structuralSchema(each)])),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...choicePart(Object.keys(properties), oneOf, allOf),
  };
}

/**
 * Which fields go together. Where every field is a member of the choice, its size says as much: that costs nothing, also
 * where there can be millions of such objects, for which the API server takes no rule.
 */
function choicePart(fields, oneOf = [], allOf = []) {
  const members = oneOf.map(({ required: [name] }) => name);
  const isAll = members.length > 0 && members.length === fields.length;
  const rules = allOf.map(({ not: { required } }) => ({
    rule: required.map((name) => `!${isSet(name)}`).join(' || '),
    message: `sets ${required.join(' and ')} together; keep one of them`,
  }));
  if (members.length > 0 && !isAll) {
    const message = `set exactly one of ${members.join(', ')}`;
    rules.unshift({ rule: `[${members.map(isSet).join(', ')}].exists_one(set, set)`, message });
  }
  return {
    ...(isAll ? { minProperties: 1, maxProperties: 1 } : {}),
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
}

/** Words that the language of rules keeps for itself are written with underscores. */
const RESERVED = new Set(['namespace']);

function isSet(field) {
  return `has(self.${RESERVED.has(field) ? `__${field}__` : field})`;
}

/** The one choice of types that Kubernetes knows: a whole number, or a text. */
function intOrString(node) {
  const text = node.anyOf.find(({ type }) => type === 'string');
  if (text === undefined || !node.anyOf.some(({ type }) => type === 'integer')) {
    throw new Error(`a CRD cannot express ${JSON.stringify(node)}`);
  }
  return {
    ...keep(node),
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    ...(text.pattern === undefined ? {} : { pattern: text.pattern }),
  };
}

function enumType(node) {
  if (node.enum?.every((value) => typeof value === 'string')) return 'string';
  throw new Error(`a CRD needs a type for ${JSON.stringify(node)}`);
}

function keep(node) {
  return Object.fromEntries(KEPT.filter((keyword) => node[keyword] !== undefined).map((key) => [key, node[key]]));
}
