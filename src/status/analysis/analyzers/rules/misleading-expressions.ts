import { ATTRIBUTE_VOCABULARY, KNOWN_METHODS } from '../../../../config/attributes/attribute-vocabulary.js';
import { keyOf } from '../../../../config/object.js';
import { partsOfTree } from '../../../../expressions/check/typed-parts.js';
import type { ApplyNode, TypedNode } from '../../../../expressions/check/typed-tree.js';
import type { ExpressionLanguage } from '../../../../expressions/expression-types.js';
import { expressionTrees } from '../../../../model/policy/rules/expression-trees.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

const MAX_MESSAGES = 20;
/** Maps whose keys are names of headers. */
const HEADER_MAPS: ReadonlySet<string> = new Set(['request.headers', 'response.headers']);
const VOCABULARY = new Map(ATTRIBUTE_VOCABULARY.map((entry) => [entry.name, entry]));

/** Parts of expressions that are valid, and do not mean what they look like. */
export const misleadingExpressions: ObjectAnalyzer = {
  kinds: ['rule', 'instance'],
  find: (object, index) => {
    const language = index.settings.expressionLanguage ?? 'legacy';
    return expressionTrees(object, index, language)
      .flatMap(({ path, tree }) =>
        [...partsOfTree(tree)].flatMap((part) => doubtsOf(part, language)).map((text) => [path, text] as const),
      )
      .slice(0, MAX_MESSAGES)
      .map(([path, text]) =>
        createMessage('misleadingExpression', { object: keyOf(object), field: `spec.${path}` }, text),
      );
  },
};

function doubtsOf(node: TypedNode, language: ExpressionLanguage): readonly string[] {
  switch (node.kind) {
    case 'matches':
      return node.text.kind === 'constant' && node.pattern.kind !== 'constant' ? [reversed(node, language)] : [];
    case 'entry': {
      const key = constantText(node.key);
      if (node.map.kind !== 'attribute' || !HEADER_MAPS.has(node.map.name)) return [];
      if (key === undefined || key === key.toLowerCase()) return [];
      return [
        `${node.map.name} has names in lower case: write ${JSON.stringify(key.toLowerCase())} for ${JSON.stringify(key)}`,
      ];
    }
    case 'apply':
      return [...innerStar(node), ...impossibleValue(node)];
    default:
      return [];
  }
}

function reversed(
  { text, pattern }: Extract<TypedNode, { readonly kind: 'matches' }>,
  language: ExpressionLanguage,
): string {
  const [constant, value] = [JSON.stringify(constantText(text)), shown(pattern)];
  const right = language === 'legacy' ? `${constant}.matches(${value})` : `${value}.matches(${constant})`;
  return `the regular expression is ${value}, which the request gives, and the text is ${constant}: write ${right}`;
}

function innerStar({ name, parameters: [, second] }: ApplyNode): readonly string[] {
  const pattern = name === 'match' && second !== undefined ? constantText(second) : undefined;
  if (!pattern?.slice(1, -1).includes('*')) return [];
  const text = `the star inside ${JSON.stringify(pattern)} stands for itself: a star stands for any text only at the beginning or end`;
  return [`${text}; use matches with a regular expression`];
}

/** A comparison with a text that the attribute never has. A default with this text is no mistake. */
function impossibleValue({ name, parameters }: ApplyNode): readonly string[] {
  if (name !== '==' && name !== '!=') return [];
  const value = parameters.map(constantText).find((text) => text !== undefined);
  const read = parameters.find(({ kind }) => kind === 'attribute' || kind === 'first');
  if (value === undefined || read === undefined) return [];
  const choices = read.kind === 'first' ? read.choices : [read];
  if (choices.some((choice) => constantText(choice) === value)) return [];
  const [first] = choices;
  const entry = first?.kind === 'attribute' ? VOCABULARY.get(first.name) : undefined;
  if (entry === undefined) return [];
  const { values, form, neverBegins } = entry;
  if (values !== undefined && !values.includes(value)) {
    return [`${entry.name} is never ${JSON.stringify(value)}, but one of ${values.join(', ')}`];
  }
  const upper = value.toUpperCase();
  if (form === 'method' && upper !== value && KNOWN_METHODS.includes(upper)) {
    return [`${entry.name} is never ${JSON.stringify(value)}: write ${JSON.stringify(upper)}`];
  }
  return neverBegins !== undefined && value.startsWith(neverBegins)
    ? [`${entry.name} never begins with ${JSON.stringify(neverBegins)}`]
    : [];
}

function constantText(node: TypedNode): string | undefined {
  return node.kind === 'constant' && typeof node.value === 'string' ? node.value : undefined;
}

/** As an expression would write it; words for other parts. */
function shown(node: TypedNode): string {
  if (node.kind === 'attribute') return node.name;
  if (node.kind === 'entry' && node.map.kind === 'attribute') {
    return `${node.map.name}[${JSON.stringify(constantText(node.key) ?? '…')}]`;
  }
  return node.kind === 'first' && node.choices[0] !== undefined ? shown(node.choices[0]) : 'the other part';
}
