import test from 'ava';
import type { Violation } from '../../../src/config/violation.js';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { createTemplateCompiler } from '../../../src/webhooks/injection/template/compile-template.js';
import { TEMPLATE_LIMITS } from '../../../src/webhooks/injection/template/create-engine.js';
import { createStopAfter, TimeLimitError } from '../../../src/webhooks/injection/template/stop-after.js';
import { decide, injected, podOf, settingsOf } from './support/injection.js';

const stopAfter = createStopAfter();
const { mesh } = settingsOf({});

interface Rendering {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<typeof TEMPLATE_LIMITS>;
}

function render(text: string, { values = {}, environment = {}, limits = {} }: Rendering = {}): string {
  const compiler = createTemplateCompiler({ stopAfter, environment, limits: { ...TEMPLATE_LIMITS, ...limits } });
  return compiler.compile(text).render({
    TypeMeta: { apiVersion: 'apps/v1', kind: 'Deployment' },
    DeploymentMeta: { name: 'web', namespace: 'shop' },
    ObjectMeta: {
      name: 'web-1',
      generateName: '',
      namespace: 'shop',
      labels: { app: 'web' },
      annotations: { note: 'hi' },
    },
    Spec: {
      containers: [
        {
          name: 'app',
          ports: [
            { containerPort: 80 },
            { containerPort: 53, protocol: 'UDP' },
            { containerPort: 443, protocol: 'TCP' },
          ],
        },
        { name: 'mesh-proxy', ports: [{ containerPort: 15090 }, { containerPort: 80 }] },
      ],
    },
    ProxyConfig: mesh.defaultConfig,
    MeshConfig: mesh,
    Values: values,
    MeshDomain: 'mesh.internal',
  });
}

const helpers: readonly (readonly [expression: string, expected: string])[] = [
  ['{{ ProxyConfig.drainDurationMs | formatDuration }}', '45s'],
  ["{{ '90s' | formatDuration }}", '1m30s'],
  ['{{ 1.5 | formatDuration }}', '1.5ms'],
  ["{{ ObjectMeta.annotations | isset: 'note' }} {{ ObjectMeta.annotations | isset: 'toString' }}", 'true false'],
  ["{{ 15020 | excludeInboundPort: '22,80' }}", '22,80,15020'],
  [
    "{{ 80 | excludeInboundPort: '22,80' }} {{ 0 | excludeInboundPort: '22' }} {{ 9 | excludeInboundPort: '' }}",
    '22,80 22 9',
  ],
  ['{{ Spec.containers | includeInboundPorts }}', '80,443,15090'],
  ['{{ Spec.containers | applicationPorts }}', '80,443'],
  ["{{ ObjectMeta | annotation: 'note', 'other' }} {{ ObjectMeta | annotation: 'none', 'other' }}", 'hi other'],
  ["{{ ObjectMeta | annotation: 'constructor', 'other' }}", 'other'],
  ["{{ '' | valueOrDefault: 'd' }} {{ 0 | valueOrDefault: 7 }} {{ 'v' | valueOrDefault: 'd' }}", 'd 7 v'],
  ['{{ DeploymentMeta | toJSON }}', '{"name":"web","namespace":"shop"}'],
  [
    '{{ DeploymentMeta | toJson }}{{ DeploymentMeta | structToJSON }}{{ DeploymentMeta | protoToJSON }}',
    '{"name":"web","namespace":"shop"}'.repeat(3),
  ],
  ['{% assign v = \'{"a":[1,2]}\' | fromJSON %}{{ v.a[1] }}', '2'],
  ["{% assign v = 'a: [1, 2]' | fromYaml %}{{ v.a[1] }}", '2'],
  ['{{ DeploymentMeta | toYaml }}', 'name: web\nnamespace: shop'],
  ['{{ DeploymentMeta | toYaml | indent: 2 }}', '  name: web\n  namespace: shop'],
  ["{{ 'AbC' | toLower }}", 'abc'],
  ["{{ '/etc/certs/root.pem' | directory }} {{ '/x' | directory }} {{ 'x' | directory }}", '/etc/certs / .'],
  ["{{ 'abc' | contains: 'b' }} {{ 'abc' | contains: 'x' }}", 'true false'],
  ["{{ 'eth0,eth1' | kubevirtInterfaces }}", 'eth0,eth1'],
  ["{{ 'a$(HOME)$$' | literal }}", 'a$$(HOME)$$$$'],
  ["{{ '{{ DeploymentMeta.name }}!' | render }}", 'web!'],
];

for (const [expression, expected] of helpers) {
  test(`${expression} gives ${JSON.stringify(expected)}`, (t) => {
    t.is(render(expression), expected);
  });
}

test('env returns only the variables of templates, and none of the process', (t) => {
  t.is(render("{{ 'REGION' | env }}", { environment: { REGION: 'north' } }), 'north');
  t.is(render("{{ 'PATH' | env: 'none' }}"), 'none');
  t.throws(() => render("{{ 'PATH' | env }}"), {
    message: /env: PATH: templates have no variables; write a default/,
  });
  t.throws(() => render("{{ 'constructor' | env }}", { environment: { A: '' } }), {
    message: /templates have the variables A/,
  });
});

test('fail rejects the pod with its text', (t) => {
  const error = t.throws(() => render("a\n{{ 'use REDIRECT' | fail }}"), { instanceOf: InjectionError });
  t.is(error?.code, 'TEMPLATE_FAILED');
  t.is(error?.message, 'injection template: line 2, column 1: use REDIRECT');
});

const outOfReach: readonly (readonly [title: string, text: string, message: RegExp])[] = [
  ['inherited fields', '{{ Values.constructor }}', /undefined variable: Values\.constructor; correct the name/],
  ['the prototype', "{{ Values['__proto__'] }}", /undefined variable/],
  ['methods of texts', '{{ DeploymentMeta.name.toUpperCase }}', /undefined variable/],
  ['methods of lists', '{{ Spec.containers.map }}', /undefined variable/],
  ['the process', '{{ process.env }}', /undefined variable: process/],
  ['the global object', '{{ globalThis }}', /undefined variable: globalThis/],
  ['files, by include', "{% include '/etc/passwd' %}", /tag "include" not found/],
  ['files, by render', "{% render '/etc/passwd' %}", /tag "render" not found/],
  ['files, by layout', "{% layout '/etc/passwd' %}", /tag "layout" not found/],
];

for (const [title, text, message] of outOfReach) {
  test(`a template cannot access ${title}`, (t) => {
    t.throws(() => render(text), { instanceOf: InjectionError, message });
  });
}

test('rendering does not change its data', (t) => {
  const values = { list: ['b', 'a'], map: { x: '1' } };
  const before = structuredClone(values);
  render("{% assign l = Values.list | sort | reverse | push: 'c' %}{{ l }}{% increment Values %}", { values });
  t.deepEqual(values, before);
});

const nonsense: readonly (readonly [title: string, text: string, message: RegExp])[] = [
  ['a tag that is not closed', 'a\nb\n{% if x %}', /line 3, column 1: tag .* not closed/],
  ['an unknown filter', '{{ Values | shout }}', /line 1, column \d+: undefined filter: shout/],
  ['an unknown tag', '{% shout %}', /tag "shout" not found/],
  [
    'a variable that is not there',
    'x\n  {{ Values.proxy.image }}',
    /line 2, column 6: undefined variable: Values\.proxy.*give it a default/,
  ],
  ['JSON that is none', "{{ 'x' | fromJSON }}", /fromJSON: .*: give it a text of JSON/],
  ['YAML that is none', "{{ 'a: b: c' | fromYaml }}", /fromYaml: line 1 of the text: /],
  ['spaces that are no number', "{{ 'x' | indent: 'many' }}", /indent: many spaces: give it a whole number/],
];

for (const [title, text, message] of nonsense) {
  test(`${title} rejects the pod with the place`, (t) => {
    const error = t.throws(() => render(text), { instanceOf: InjectionError });
    t.true(error?.message.startsWith('injection template: '));
    t.regex(error?.message ?? '', message);
  });
}

test('an invalid template is a violation of the config file', (t) => {
  const compiler = createTemplateCompiler({ stopAfter });
  t.is(compiler.check('containers: []'), undefined);
  const violation: Violation | undefined = compiler.check('{% if %}');
  t.is(violation?.path, 'template');
  t.regex(violation?.message ?? '', /^does not compile: injection template: line 1/);
});

const TOO_MUCH: readonly (readonly [title: string, text: string, limits: Rendering['limits'], message: RegExp])[] = [
  [
    'loops in loops',
    '{% for a in (1..10000) %}{% for b in (1..10000) %}x{% endfor %}{% endfor %}',
    { renderMs: 100 },
    /limit exceeded|takes longer than 100 ms/,
  ],
  [
    'one long loop',
    '{% for a in (1..100000000) %}x{% endfor %}',
    {},
    /memory alloc limit exceeded; make the template do less/,
  ],
  [
    'a text that doubles',
    "{% assign a = 'xxxxxxxxxx' %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}{{ a }}",
    {},
    /limit exceeded/,
  ],
  [
    'JSON that doubles',
    "{% assign a = 'x' %}{% for i in (1..64) %}{% assign a = a | toJSON %}{% endfor %}",
    {},
    /limit exceeded/,
  ],
  [
    'a template that renders itself',
    "{% assign t = '{{ t | render }}' %}{{ t | render }}",
    {},
    /render: templates are nested deeper than 4 levels/,
  ],
  [
    'long output',
    '{% for a in (1..1000) %}xxxxxxxxxx{% endfor %}',
    { outputCharacters: 1000 },
    /output is longer than 1000 characters: make it shorter/,
  ],
  ['a long template', 'x'.repeat(2000), { templateCharacters: 1000 }, /limit exceeded/],
];

for (const [title, text, limits, message] of TOO_MUCH) {
  test(`${title} is stopped`, (t) => {
    t.throws(() => render(text, { limits: limits ?? {} }), { instanceOf: InjectionError, message });
  });
}

test('work that never checks the time is interrupted, and the next one runs', (t) => {
  t.throws(
    () =>
      stopAfter(20, () => {
        for (;;);
      }),
    { instanceOf: TimeLimitError },
  );
  t.is(
    stopAfter(1000, () => 7),
    7,
  );
  t.throws(
    () =>
      stopAfter(1000, () => {
        throw new RangeError('own');
      }),
    { instanceOf: RangeError, message: 'own' },
  );
});

const OUTPUTS: readonly (readonly [output: string, message: RegExp])[] = [
  ['x: 1\na: b: c', /line 2: "a: b: c": is not valid YAML/],
  ['- a', /is not a mapping: write initContainers:/],
  ['contaners: []', /contaners: is not a known field; known are initContainers, containers, /],
  ['containers: {}', /containers: is not a list/],
  ['containers: [x]', /containers\[0\]: is not a mapping/],
  ['containers: [{ image: i }]', /containers\[0\]\.name: is not a text/],
  ['containers: [{ name: a }]', /containers\[0\]\.image: is not a text; give the container an image/],
  ['containers: [{ name: a, image: }]', /containers\[0\]\.image/],
  ['containers: [{ name: a, image: i }, { name: a, image: i }]', /containers\[1\]\.name: "a" occurs twice/],
  ['dnsConfig: []', /dnsConfig: is not a mapping/],
  ['podRedirectAnnot: { a: 1 }', /podRedirectAnnot\["a"\]: is not a text; put it in quotes/],
  ['rewriteAppHTTPProbe: yes', /rewriteAppHTTPProbe: is neither true nor false/],
  ['warnings: text', /warnings: is not a list of texts/],
  ['a: &a [x, x]\nb: &b [*a, *a]\n', /is not a known field/],
];

for (const [template, message] of OUTPUTS) {
  test(`output ${JSON.stringify(template)} rejects the pod`, (t) => {
    const error = t.throws(() => decide(podOf(), { config: { template } }), { instanceOf: InjectionError });
    t.is(error?.code, 'INVALID_OUTPUT');
    t.regex(error?.message ?? '', message);
  });
}

test('a template may have an empty output', (t) => {
  const pod = injected(podOf(), { config: { template: '{% if false %}x{% endif %}' } });
  t.deepEqual(pod.spec, podOf().spec);
});

test('warnings of a template reach the author of the pod', (t) => {
  const decision = decide(podOf(), { config: { template: 'warnings: [mind the gap]' } });
  t.deepEqual(decision.type === 'inject' ? decision.warnings : undefined, ['mind the gap']);
});
