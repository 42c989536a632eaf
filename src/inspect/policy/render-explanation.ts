import type { Paint, Tone } from '../../base/paint.js';
import { printable } from '../../base/printable.js';
import { judgementText } from '../../generators/authorization/judge-request.js';
import { renderTable } from '../table.js';
import type { Answer } from './answers.js';
import type { ExplainedPlans } from './explain-plans.js';
import type { ExplainedCharge } from './explain-quotas.js';
import type { ExplainedService, RequestExplanation } from './explain-request.js';
import type { ExplainedCall, ExplainedRule } from './explain-rules.js';

/** The explanation for people. @param showsAttributes whether all attributes are listed */
export function renderExplanation(
  { method, url, service, answers, dryRun }: RequestExplanation,
  showsAttributes: boolean,
  paint: Paint,
): string {
  const parts = [
    paint(printable(`${method} ${url}`), 'heading'),
    service === undefined ? 'service    none' : renderService(service, paint),
    renderAnswers('ANSWER', answers, toneOf, paint),
    ...(dryRun.length === 0 ? [] : [renderAnswers('WOULD REFUSE (DRY RUN)', dryRun, () => undefined, paint)]),
    ...(showsAttributes && service !== undefined ? [renderAttributes(service, paint)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderAnswers(
  title: string,
  answers: readonly Answer[],
  tone: (answer: Answer) => Tone | undefined,
  paint: Paint,
): string {
  return renderTable(
    [title, 'WHEN', 'OBJECTS'],
    answers.map((answer) => [
      { text: String(answer.status), tone: tone(answer) },
      { text: `${answer.certainty === 'certain' ? 'always: ' : ''}${answer.because}` },
      { text: answer.objects.join(', ') },
    ]),
    paint,
  ).trimEnd();
}

function toneOf({ status, certainty }: Answer): Tone {
  if (status === 200) return 'good';
  return certainty === 'certain' ? 'bad' : 'warning';
}

function renderService(service: ExplainedService, paint: Paint): string {
  const { hostname, object, endpoints, mutualTls, operation, apiKey, plans, quotas, rules } = service;
  const rows: [string, string][] = [
    ['service', `${hostname}${object === undefined ? '' : ` (${object})`}`],
    ['endpoints', `${endpoints.healthy} healthy of ${endpoints.all}`],
    ['mutual TLS', mutualTls],
    [
      'authorization',
      list(service.authorization.policies.map((each) => `${each.action} ${each.object}: ${judgementText(each)}`)),
    ],
    ['API', list(service.apiSpecs)],
    ['operation', list(Object.entries(operation).map(([name, value]) => `${name}=${value}`))],
    ['API key', apiKey ?? 'none'],
    ['plan', planText(plans)],
    ['charges', list(quotas.charges.map(chargeText))],
    ['rules', list(rules.matching.map(ruleText))],
    ['no match', list([...quotas.unmatched, ...rules.unmatched.map(({ object, match }) => `${object} (${match})`)])],
    ['undecided', list(quotas.undecided)],
    ['missing', list(service.missing)],
    ['not granted', list(service.notGranted)],
  ];
  const always = new Set(['service', 'endpoints', 'mutual TLS', 'operation', 'API key', 'charges']);
  return rows
    .filter(([name, text]) => always.has(name) || text !== 'none')
    .map(([name, text]) => `${paint(name.padEnd(13), 'dim')}  ${printable(text)}`)
    .join('\n');
}

function chargeText({ quota, charge, object, isDryRun }: ExplainedCharge): string {
  return `${quota} ${charge} by ${object}${isDryRun ? ' (dry run)' : ''}`;
}

function planText({ plans, verdict, plan, consumer }: ExplainedPlans): string {
  if (verdict === 'admitted') return `${plan}, as ${consumer}`;
  return plans.length === 0 ? 'none' : `${list(plans)}: ${verdict}`;
}

/** A rule with the handlers that it calls. */
function ruleText({ object, open, calls, headers, isDryRun }: ExplainedRule): string {
  const texts = calls.map(({ handler, variety, answer, limit, open: missing }) => {
    const result = answer === undefined ? (missing ?? limitText(limit)) : `${answer.status} ${answer.message}`;
    return `${variety} by ${handler}${result === '' ? '' : ` (${result})`}`;
  });
  const parts = [...texts, ...headers.map(({ text }) => text)];
  return `${object}${isDryRun ? ' (dry run)' : ''}${open === undefined ? '' : ` if ${open}`}: ${parts.join(' and ')}`;
}

function limitText(limit: ExplainedCall['limit']): string {
  return limit === undefined ? '' : `${limit.maxAmount} in ${limit.validDurationMs / 1000} s`;
}

function renderAttributes({ attributes }: ExplainedService, paint: Paint): string {
  const rows = Object.entries(attributes).map(([name, value]) => [{ text: name }, { text: value }]);
  return renderTable(['ATTRIBUTE', 'VALUE'], rows, paint).trimEnd();
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(', ');
}
