import { isRecord } from '../../base/record.js';
import { LOG_LEVELS, type LogLevel } from '../../telemetry/logging-options.js';
import { type Html, html } from '../html.js';
import { HttpProblem } from '../http-problem.js';
import { json, type Page } from '../page.js';
import type { Site } from '../web/site.js';
import { renderTable } from '../web/table.js';
import { createWebPage } from '../web/web-page.js';
import type { ProcessFacts, ScopeChange, ScopeFacts } from './process-facts.js';

/** `/scopez` with a form for each scope, `/scopej` and `/scopej/<name>` for scripts. */
export function scopePages(site: Site, facts: ProcessFacts): readonly Page[] {
  const page = createWebPage(site, {
    path: '/scopez',
    title: 'Logging scopes',
    description: 'The levels of each logging scope, and forms that change them',
    isLive: false,
    model: () => facts.scopes(),
    render: renderScopes,
    json: (scopes) => scopes.map(scopeJson),
  });
  return [
    {
      ...page,
      change: {
        methods: ['POST'],
        handle: (_views, { body }) => {
          const form = new URLSearchParams(body);
          applyChange(facts, form.get('name') ?? '', {
            ...levelField('outputLevel', form.get('output_level')),
            ...levelField('stackTraceLevel', form.get('stack_trace_level')),
            logCallers: form.get('log_callers') === 'true',
          });
          return { type: 'redirect', location: '/scopez/' };
        },
      },
    },
    {
      path: '/scopej',
      description: 'All logging scopes as JSON; /scopej/<name> one of them, PUT changes it',
      audience: 'operator',
      isNamed: true,
      handle: (_views, { name }) => {
        if (name === undefined) return json(facts.scopes().map(scopeJson));
        const scope = facts.scopes().find((each) => each.name === name);
        if (scope === undefined) throw new HttpProblem(400, `unknown scope name: ${name}`);
        return json(scopeJson(scope));
      },
      change: {
        methods: ['PUT'],
        isNamed: true,
        handle: (_views, { name, body }) => {
          applyChange(facts, name ?? '', readChange(body));
          return { type: 'empty', status: 202 };
        },
      },
    },
  ];
}

function applyChange(facts: ProcessFacts, name: string, change: ScopeChange): void {
  if (!facts.changeScope(name, change)) throw new HttpProblem(400, `unknown scope name: ${name}`);
}

/** Unknown levels are ignored, as the facility's clients expect. */
function readChange(body: string): ScopeChange {
  let fields: unknown;
  try {
    fields = JSON.parse(body);
  } catch {
    throw new HttpProblem(400, 'unable to decode request');
  }
  if (!isRecord(fields)) throw new HttpProblem(400, 'unable to decode request');
  const callers = fields['log_callers'];
  return {
    ...levelField('outputLevel', fields['output_level']),
    ...levelField('stackTraceLevel', fields['stack_trace_level']),
    ...(typeof callers === 'boolean' ? { logCallers: callers } : {}),
  };
}

function levelField<Name extends 'outputLevel' | 'stackTraceLevel'>(name: Name, value: unknown) {
  const level = LOG_LEVELS.find((each) => each === value);
  return (level === undefined ? {} : { [name]: level }) as { readonly [Key in Name]?: LogLevel };
}

function scopeJson({ name, description, outputLevel, stackTraceLevel, logCallers }: ScopeFacts): object {
  return {
    name,
    description,
    output_level: outputLevel,
    stack_trace_level: stackTraceLevel,
    log_callers: logCallers,
  };
}

function renderScopes(scopes: readonly ScopeFacts[]): Html {
  return html`<div class="lead"><h1>Logging scopes</h1></div>
<p class="note">A change is in force at once, and until the process ends.</p>
${renderTable<ScopeFacts>(
  [
    { head: 'Scope', cell: ({ name }) => html`<span class="name">${name}</span>` },
    { head: 'Content', cell: ({ description }) => description },
    { head: 'Levels', cell: renderForm },
  ],
  scopes,
)}`;
}

function renderForm({ name, outputLevel, stackTraceLevel, logCallers }: ScopeFacts): Html {
  return html`<form action="/scopez/" method="post"><input type="hidden" name="name" value="${name}">${renderLevels(
    'output_level',
    'Output',
    outputLevel,
  )}${renderLevels('stack_trace_level', 'Stack traces', stackTraceLevel)}<label><input type="checkbox" name="log_callers" value="true"${logCallers ? html` checked` : ''}> Callers</label><button aria-label="Change ${name}">Change</button></form>`;
}

function renderLevels(name: string, label: string, chosen: LogLevel): Html {
  return html`<label>${label} <select name="${name}">${LOG_LEVELS.map(
    (level) => html`<option${level === chosen ? html` selected` : ''}>${level}</option>`,
  )}</select></label>`;
}
