import { judgementText, type PolicyJudgement } from '../../generators/authorization/judge-request.js';
import { type Html, html } from '../html.js';
import { HttpProblem } from '../http-problem.js';
import { recordOf } from '../json-source.js';
import type { Page } from '../page.js';
import type { ExplainedRequest, RequestQuestion } from '../views.js';
import { createHiddenCredentials } from './hide-credentials.js';
import { joined, objectLink, renderBadge, serviceLink } from './pieces.js';
import type { Site } from './site.js';
import { renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Model {
  readonly question: RequestQuestion;
  /** Undefined before a request is typed. */
  readonly explained: ExplainedRequest | undefined;
  /** Why the request cannot be explained. */
  readonly problem: string | undefined;
}

type Answer = ExplainedRequest['answers'][number];

const PATH = '/debug/policy';

/** Explains the answer that a request can get: attributes, API operation, key, quotas and the objects that decide. */
export function policyPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Policy',
    description: 'Why a request gets 200, 401, 403, 429 or 503: its attributes, charges, and the objects that decide',
    isLive: false,
    parameters: ['method', 'url', 'headers', 'from', 'ip'].map((name) => ({
      name,
      required: false,
      choice: { type: 'text' },
    })),
    model: (views, { query }) => {
      if (views.explainRequest === undefined) throw new HttpProblem(404, 'This program explains no requests.');
      const question = {
        method: query.get('method') || 'GET',
        url: query.get('url') ?? '',
        headers: (query.get('headers') ?? '').split(/\r?\n/).filter((line) => line.trim() !== ''),
        from: query.get('from') ?? '',
        ip: query.get('ip') ?? '',
      };
      if (question.url === '') return { question, explained: undefined, problem: undefined };
      try {
        return { question, explained: views.explainRequest(question), problem: undefined };
      } catch (error) {
        if (!(error instanceof HttpProblem)) throw error;
        return { question, explained: undefined, problem: error.message };
      }
    },
    render: renderPolicy,
    json: ({ question, explained, problem }) => {
      const hidden = createHiddenCredentials(question, explained?.service?.apiKey);
      const { url, headers } = question;
      return recordOf({
        question: { ...question, url: hidden.text(url), headers: headers.map(hidden.text) },
        explanation: explained && hidden.explanation(explained),
        problem: problem && hidden.text(problem),
      });
    },
  });
}

function renderPolicy({ question, explained, problem }: Model): Html {
  const { method, url, headers, from, ip } = question;
  const hidden = createHiddenCredentials(question, explained?.service?.apiKey);
  return html`<div class="lead"><h1>Policy</h1></div>
<p class="note">The answer is found with the objects in force and the library of the policy server. No request is sent, and no quota is charged. <a href="/debug/quotas">Quotas</a> shows how much of each is used now.</p>
<form action="${PATH}" method="get">
<label>Method <select name="method">${['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map(
    (name) => html`<option${name === method ? html` selected` : ''}>${name}</option>`,
  )}</select></label>
<label>URL <input name="url" value="${hidden.removed(url)}" required placeholder="http://web.shop/books" autocomplete="off"></label>
<label>Caller <input name="from" value="${from}" placeholder="namespace/service account" autocomplete="off"></label>
<label>Address of the caller <input name="ip" value="${ip}" placeholder="10.0.0.7" autocomplete="off"></label>
<label>Headers, one on each line <textarea name="headers" rows="3" placeholder="x-api-key: gold">${headers.map(hidden.removed).join('\n')}</textarea></label>
<button>Explain</button></form>
${problem === undefined ? '' : html`<p class="reason"><bdi>${hidden.text(problem)}</bdi></p>`}
${explained === undefined ? '' : renderExplained(hidden.explanation(explained))}`;
}

function renderExplained({ service, answers, dryRun }: ExplainedRequest): Html {
  return html`<h2>Answers <small>in the order in which they are decided</small></h2>
${renderAnswers(answers)}
${
  dryRun.length === 0
    ? ''
    : html`<h2>Dry run <small>would refuse; the request passes</small></h2>${renderAnswers(dryRun)}`
}
${service === undefined ? html`<p class="empty">The mesh has no service for the host.</p>` : renderService(service)}`;
}

function renderAnswers(answers: readonly Answer[]): Html {
  return renderTable<Answer>(
    [
      {
        head: 'Answer',
        cell: ({ status, certainty }) =>
          renderBadge(String(status), status === 200 ? 'good' : certainty === 'certain' ? 'bad' : 'busy'),
      },
      { head: 'When', cell: ({ certainty, because }) => `${certainty === 'certain' ? 'always: ' : ''}${because}` },
      { head: 'Objects', cell: ({ objects }) => joined(objects.map((key) => objectLink(key))) },
    ],
    answers,
  );
}

function renderAuthorization(policies: readonly PolicyJudgement[]): Html {
  return joined(
    policies.map(
      (each) => html`${each.action} ${objectLink(each.object)} <span class="quiet">${judgementText(each)}</span>`,
    ),
    'no policy: all callers are accepted',
  );
}

type Service = NonNullable<ExplainedRequest['service']>;
type Rules = Service['rules'];
type Call = Rules['matching'][number]['calls'][number];

const DRY_RUN = ' (dry run)';

function renderRule({ object, open, calls, headers, isDryRun }: Rules['matching'][number]): Html {
  const rendered = calls.map((call) => {
    const result = resultOf(call);
    return html`${call.variety} by ${objectLink(call.handler)}${result === '' ? '' : html` <span class="quiet"><bdi>${result}</bdi></span>`}`;
  });
  const parts = [...rendered, ...headers.map(({ text }) => html`<bdi>${text}</bdi>`)];
  return html`${objectLink(object)}${isDryRun ? DRY_RUN : ''}${open === undefined ? '' : html` <span class="quiet">if <bdi>${open}</bdi></span>`}: ${parts.map((part, index) => html`${index === 0 ? '' : ' and '}${part}`)}`;
}

/** Each on a line of its own. */
function lines(items: readonly Html[]): Html {
  return html`${items.map((item) => html`<div>${item}</div>`)}`;
}

function resultOf({ answer, limit, open }: Call): string {
  if (answer !== undefined) return `${answer.status} ${answer.message}`;
  if (open !== undefined) return open;
  return limit === undefined ? '' : `${limit.maxAmount} in ${limit.validDurationMs / 1000} s`;
}

/** Empty for a service without plans. */
function renderPlans({ plans, verdict, plan, consumer, limits }: Service['plans']): Html | '' {
  if (plans.length === 0) return '';
  const listed = joined(plans.map((key) => objectLink(key)));
  if (plan === undefined) return html`<dt>Plan</dt><dd>${PLAN_VERDICTS[verdict]}: ${listed}</dd>`;
  const counted = limits.map(({ name, requests, per, of }) => `${name}: ${requests} per ${per} for each ${of}`);
  return html`<dt>Plan</dt><dd>${objectLink(plan)}</dd>
<dt>Consumer</dt><dd><bdi>${consumer ?? ''}</bdi></dd>
<dt>Limits</dt><dd>${joined(counted, 'no limit counts the request')} <span class="quiet"><a href="/debug/quotas">Quotas</a> shows their use</span></dd>
`;
}

const PLAN_VERDICTS: Readonly<Record<Service['plans']['verdict'], string>> = {
  none: 'none',
  admitted: 'admitted',
  undecided: 'depends on keys in Secrets or on other facts',
  noKey: 'refused, the request has no API key',
  unknownKey: 'refused, the API key is not known',
  notIncluded: 'refused, the plan of the API key does not include the request',
};

function renderUnmatched({ object, match }: Rules['unmatched'][number]): Html {
  return html`${objectLink(object)} <code>${match}</code>`;
}

function renderService(service: Service): Html {
  const {
    hostname,
    endpoints,
    mutualTls,
    authorization,
    apiKey,
    operation,
    quotas,
    rules,
    apiSpecs,
    missing,
    notGranted,
  } = service;
  const texts = (values: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return html`<h2>The request</h2><dl>
<dt>Service</dt><dd>${serviceLink(hostname)}, ${endpoints.healthy} of ${endpoints.all} endpoints healthy</dd>
<dt>Mutual TLS</dt><dd>${mutualTls}</dd>
<dt>Authorization</dt><dd>${renderAuthorization(authorization.policies)}</dd>
<dt>API</dt><dd>${joined(
    apiSpecs.map((key) => objectLink(key)),
    'none',
  )}</dd>
<dt>Operation</dt><dd>${joined(texts(operation), 'no pattern matches')}</dd>
<dt>API key</dt><dd><bdi>${apiKey ?? 'none'}</bdi></dd>
${renderPlans(service.plans)}<dt>Charges</dt><dd>${joined(
    quotas.charges.map(
      ({ quota, charge, object, isDryRun }) =>
        html`<bdi>${quota} ${charge}</bdi> by ${objectLink(object)}${isDryRun ? DRY_RUN : ''}`,
    ),
    'no quota',
  )}</dd>
<dt>Rules</dt><dd>${rules.matching.length > 0 ? lines(rules.matching.map(renderRule)) : joined([], rules.unmatched.length === 0 ? 'none' : 'none matches')}</dd>
${rules.unmatched.length === 0 ? '' : html`<dt>Rules that do not match</dt><dd>${lines(rules.unmatched.map(renderUnmatched))}</dd>`}
${missing.length === 0 ? '' : html`<dt>Missing</dt><dd>${joined(missing.map((key) => objectLink(key)))}</dd>`}
${notGranted.length === 0 ? '' : html`<dt>Not granted</dt><dd>${joined(notGranted.map((key) => objectLink(key)))}</dd>`}
</dl>
<h2>Attributes</h2>${renderTable<readonly [string, string]>(
    [
      { head: 'Attribute', cell: ([name]) => html`<code>${name}</code>` },
      { head: 'Value', cell: ([, value]) => html`<code>${value}</code>` },
    ],
    Object.entries(service.attributes),
  )}`;
}
