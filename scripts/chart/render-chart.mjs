// Makes the Helm chart from manifests/: each file becomes a template in which values stand for what users change.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { meshDomainOf } from '../render-manifests.mjs';
import { CONDITIONS, editsOf, LEFT_OUT } from './chart-edits.mjs';
import { withRevisionNames } from './revision-names.mjs';

const SOURCES = 'charts/navigator';
const MANIFESTS = 'manifests';
/** The namespace in manifests/; that of the release in the chart. */
const NAMESPACE = /(?<![\w-])mesh-system(?![\w-])|(?<=meshd-)mesh-system(?![\w-])/g;

/** The files of the chart, as {file, content}; `file` is below the chart's folder. */
export function renderChart(root, version) {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const own = readdirSync(join(root, SOURCES), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, SOURCES).length + 1))
    .map((file) => ({ file, content: read(join(SOURCES, file)) }))
    .map(({ file, content }) => ({
      file,
      content: file === 'Chart.yaml' ? content.replaceAll('0.0.0', version) : content,
    }));
  const manifests = [
    ...readdirSync(join(root, MANIFESTS)),
    ...readdirSync(join(root, MANIFESTS, 'policy')).map((file) => `policy/${file}`),
  ].filter((file) => file.endsWith('.yaml') && !LEFT_OUT.includes(file));
  const edits = editsOf(meshDomainOf(root));
  const templates = manifests.map((file) => ({
    file: `templates/${file.replace('/', '-')}`,
    content: template(file, read(join(MANIFESTS, file)), edits[file]),
  }));
  return [...own, ...templates].sort((one, other) => (one.file < other.file ? -1 : 1));
}

function template(file, text, edits = []) {
  // Templates of the injector have braces of their own.
  const escaped = text.replace(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
  const placed = escaped.replaceAll(NAMESPACE, '{{ .Release.Namespace }}');
  const edited = edits.reduce((before, [part, value]) => edit(file, before, part, value), placed);
  const named = withRevisionNames(edited);
  const condition = CONDITIONS[file];
  return condition === undefined ? named : `{{- if ${condition} }}\n${named}{{- end }}\n`;
}

function edit(file, text, part, value) {
  const parts = text.split(part);
  if (parts.length !== 2)
    throw new Error(`manifests/${file}: ${parts.length - 1} places for the chart's edit of ${part}`);
  return parts.join(value);
}
