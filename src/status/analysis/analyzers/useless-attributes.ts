import { ATTRIBUTE_VOCABULARY } from '../../../config/attributes/attribute-vocabulary.js';
import { SERVICE_NAMESPACE } from '../../../config/attributes/service-namespace.js';
import type { ObjectKey } from '../../../config/object.js';
import type { AttributesSpec, AttributeValueSpec } from '../../../config/policy/attributes.js';
import type { HttpApiSpec } from '../../../config/policy/http-api-spec.js';
import { LIMITS } from '../../../config/policy/limits.js';
import { childPath } from '../../../config/violation.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

const OF_REPORTS: ReadonlySet<string> = new Set(
  ATTRIBUTE_VOCABULARY.filter(({ known }) => known === 'report').map(({ name }) => name),
);

/** Attributes of HTTPAPISpecs that are empty, or that another value always overrides. */
export const findUselessAttributes: Analyzer = ({ objects }) =>
  [...(objects.get('HTTPAPISpec') ?? [])].flatMap(([object, { body }]) =>
    [...ofSpec(object, body as HttpApiSpec)].slice(0, LIMITS.violations),
  );

function* ofSpec(object: ObjectKey, { attributes, patterns }: HttpApiSpec): Iterable<AnalysisMessage> {
  const tell = (field: string, text: string): AnalysisMessage =>
    createMessage('generatesNothing', { object, field }, text);
  const top = namesOf(attributes);
  if (attributes !== undefined && top.length === 0) yield tell('spec.attributes', 'it has no attributes');
  for (const name of top) {
    if (patterns.length === 0 || !patterns.every((pattern) => namesOf(pattern.attributes).includes(name))) continue;
    yield tell(childPath('spec.attributes.attributes', name), `every pattern sets ${name}, which overrides this value`);
  }
  yield* valuesOf('spec.attributes', attributes, tell);
  for (const [index, { attributes: own }] of patterns.entries()) {
    const field = `spec.patterns[${index}]`;
    const isEmpty = namesOf(own).length === 0;
    if (own !== undefined && isEmpty) yield tell(`${field}.attributes`, 'it has no attributes');
    if (isEmpty && top.length === 0) {
      yield tell(field, 'neither the pattern nor the spec has attributes, so a request that matches gets none');
    }
    yield* valuesOf(`${field}.attributes`, own, tell);
  }
}

function* valuesOf(
  field: string,
  spec: AttributesSpec | undefined,
  tell: (field: string, text: string) => AnalysisMessage,
): Iterable<AnalysisMessage> {
  for (const [name, value] of Object.entries(spec?.attributes ?? {})) {
    const path = childPath(`${field}.attributes`, name);
    const empty = emptyMember(value);
    if (empty !== undefined)
      yield tell(`${path}.${empty}`, `the value of ${name} is empty, so it does not describe the request`);
    if (name === SERVICE_NAMESPACE)
      yield tell(path, `${name} is the namespace of the service, which no spec can change`);
    if (OF_REPORTS.has(name)) yield tell(path, `the report of each request sets ${name}, which overrides this value`);
  }
}

function emptyMember({ bytesValue, stringMapValue }: AttributeValueSpec): string | undefined {
  if (bytesValue === '') return 'bytesValue';
  return stringMapValue !== undefined && Object.keys(stringMapValue.entries).length === 0
    ? 'stringMapValue'
    : undefined;
}

function namesOf(spec: AttributesSpec | undefined): readonly string[] {
  return Object.keys(spec?.attributes ?? {});
}
