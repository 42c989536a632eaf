// The names of manifests/ that each revision has for itself. In the chart they get the revision as a suffix, so that
// several releases can be in one namespace. The names of shared objects stay: the root certificate, and Leases that only
// one replica of all revisions may hold.

const SUFFIX = '{{ include "navigator.suffix" $ }}';
const OWN_NAMES = [
  // Objects of the control plane, its account and its host.
  /(?<![\w./-])(navigator-meshd|meshd)(?!\w)/g,
  // Webhook configurations, and ConfigMaps with settings.
  /(?<=name: |resourceNames: \[)(mesh-sidecar-injector-defaults|mesh-sidecar-injector|mesh-policy|mesh)(?=[,\]]|$)/g,
  /(mesh)(?=-last-good-settings)/g,
];
/** Where the template of the injector begins, which names no object. */
const CONTENT = '\ndata:\n';

/** A file of manifests/ in which the names of a revision have a suffix. */
export function withRevisionNames(text) {
  const [objects, ...content] = text.split(CONTENT);
  const lines = objects.split('\n').map((line) => (/^\s*#/.test(line) ? line : withSuffixes(line)));
  return [lines.join('\n'), ...content].join(CONTENT);
}

function withSuffixes(line) {
  return OWN_NAMES.reduce((text, name) => text.replace(name, `$1${SUFFIX}`), line);
}
