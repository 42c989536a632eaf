// Where the values of the Helm chart go in the files of manifests/. Each text stands exactly once in its file, so that a
// change of manifests/ cannot silently take the effect of a value away.

const pod = (name) => `
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets: {{ toJson . }}
      {{- end }}
      {{- with .Values.nodeSelector }}
      nodeSelector: {{ toJson . }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations: {{ toJson . }}
      {{- end }}
      {{- with .Values.affinity }}
      affinity: {{ toJson . }}
      {{- end }}
      {{- with .Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      serviceAccountName: ${name}`;

const replicas = (value) => `spec:
  {{- if not (kindIs "invalid" ${value}) }}
  replicas: {{ ${value} }}
  {{- end }}
  # \`replicas\` is not set,`;

const annotations = `prometheus.io/port: "15014"
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}`;

const heap = (value) => `value: --max-old-space-size={{ ${value} }}`;

/** File of manifests/ → edits as [text, replacement], for the mesh domain in these files. */
export const editsOf = (meshDomain) => ({
  '35-injection.yaml': [['      image: navigator-discovery:0.1.0', '      image: {{ include "navigator.image" . }}']],
  '45-validation.yaml': [['== "default"', '== {{ quote (include "navigator.revision" $) }}']],
  '46-injection-webhook.yaml': [
    ['values: [enabled, disabled]', 'values: [{{ if not .Values.revision }}enabled, {{ end }}disabled]'],
    [`${meshDomain}/rev: default }`, `${meshDomain}/rev: {{ include "navigator.revision" $ }} }`],
    [
      'orValue("default") == "default"',
      'orValue({{ quote (include "navigator.revision" $) }}) == {{ quote (include "navigator.revision" $) }}',
    ],
    [
      '      matchLabels:\n        mesh-injection: enabled\n      matchExpressions:\n',
      `      matchLabels:
        {{- if .Values.revision }}
        ${meshDomain}/rev: {{ .Values.revision }}
        {{- else }}
        mesh-injection: enabled
        {{- end }}
      matchExpressions:
        {{- if .Values.revision }}
        - { key: mesh-injection, operator: DoesNotExist }
        {{- end }}
`,
    ],
  ],
  '50-deployment.yaml': [
    [
      'name: REVISION\n              value: default',
      `name: REVISION
              value: {{ include "navigator.revision" $ }}
            {{- if .Values.revision }}
            - name: INJECTION_WEBHOOK_CONFIG_NAME
              value: mesh-sidecar-injector{{ include "navigator.suffix" $ }}
            - name: VALIDATION_WEBHOOK_CONFIG_NAME
              value: meshd-{{ .Release.Namespace }}
            {{- end }}`,
    ],
    ['spec:\n  # `replicas` is not set,', replicas('.Values.replicas')],
    ['prometheus.io/port: "15014"', annotations],
    ['\n      serviceAccountName: meshd', pod('meshd')],
    ['image: navigator-discovery:0.1.0', 'image: {{ include "navigator.image" . }}'],
    [
      '            - --log_as_json',
      '            - --log_as_json\n            {{- range .Values.flags }}\n            - {{ quote . }}\n            {{- end }}',
    ],
    [
      'value: --max-old-space-size=704',
      `${heap('.Values.heapMiB')}
            {{- range $name, $value := .Values.variables }}
            - name: {{ $name }}
              value: {{ quote $value }}
            {{- end }}`,
    ],
    [/resources:\n {12}requests: .*\n(?: {12}#.*\n)* {12}limits: .*/, 'resources: {{ toJson .Values.resources }}'],
  ],
  '71-webhook-callers.yaml': [
    [
      '      # begin: written by scripts/webhook-callers.mjs\n      # end: written by scripts/webhook-callers.mjs',
      `      {{- with .Values.webhookCallers }}
      from:
        {{- range . }}
        - ipBlock: { cidr: {{ quote . }} }
        {{- end }}
      {{- end }}`,
    ],
  ],
  'policy/navigator-policy.yaml': [
    ['spec:\n  # `replicas` is not set,', replicas('.Values.policyServer.replicas')],
    ['prometheus.io/port: "15014"', annotations],
    ['\n      serviceAccountName: navigator-policy', pod('navigator-policy')],
    ['image: navigator-discovery:0.1.0', 'image: {{ include "navigator.image" . }}'],
    ['value: --max-old-space-size=352', heap('.Values.policyServer.heapMiB')],
    [
      /resources:\n {12}requests: .*\n(?: {12}#.*\n)* {12}limits: .*/,
      'resources: {{ toJson .Values.policyServer.resources }}',
    ],
  ],
});

/** File of manifests/ → the value without which the chart leaves the file out. */
export const CONDITIONS = {
  '10-crds.yaml': 'and .Values.customResourceDefinitions (not .Values.revision)',
  '35-injection.yaml': '.Values.injection.enabled',
  '45-validation.yaml': '.Values.validation',
  '46-injection-webhook.yaml': '.Values.injection.enabled',
  '60-availability.yaml': '.Values.podDisruptionBudget',
  '70-network-policy.yaml': '.Values.networkPolicies',
  '71-webhook-callers.yaml': '.Values.networkPolicies',
  'policy/navigator-policy.yaml': '.Values.policyServer.enabled',
};

/** Helm creates the namespace of a release before the objects of the chart (--create-namespace). */
export const LEFT_OUT = ['00-namespace.yaml'];
