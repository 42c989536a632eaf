import { DescriptorError } from './descriptor-error.js';
import type { DescriptorSet, FieldShape } from './descriptor-set.js';
import { LEAF_TYPE_NAMES, leafTypeOf } from './leaf-types.js';
import { fieldsOfMessage, mapEntryOf } from './message-fields.js';
import type { OutputFieldWire, TemplateWire } from './template-wire.js';

/**
 * Reads the answer of a template with output: a message with the fields `result` and `output`.
 *
 * @throws DescriptorError for an answer without them, and for outputs without a type of values
 */
export function readTemplateOutput(set: DescriptorSet, answer: string): NonNullable<TemplateWire['output']> {
  const fields = fieldsOfMessage(set, answer);
  const result = fields.find(({ name }) => name === 'result');
  const output = fields.find(({ name }) => name === 'output');
  if (result === undefined || output === undefined || output.type !== 'message') {
    const remedy = 'return a message with CheckResult result = 1 and OutputMsg output = 2';
    throw new DescriptorError(`has not the fields result and output in ${answer}`, remedy);
  }
  return {
    result: result.number,
    output: output.number,
    fields: fieldsOfMessage(set, output.typeName).map((field) => readOutputField(set, output.typeName, field)),
  };
}

function readOutputField(set: DescriptorSet, message: string, field: FieldShape): OutputFieldWire {
  const { name, number } = field;
  if (field.isRepeated) {
    const entry = mapEntryOf(set, field);
    if (entry?.key.type === 'string' && entry.value.type === 'string') return { name, number, valueType: 'STRING_MAP' };
  } else {
    const valueType = leafTypeOf(field);
    if (valueType !== undefined && valueType !== 'any') return { name, number, valueType };
  }
  const remedy = `use map<string, string>, ${LEAF_TYPE_NAMES.replace(' Value,', '')}`;
  throw new DescriptorError(`has the output ${name} in ${message} of a type that attributes do not have`, remedy);
}
