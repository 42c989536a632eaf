import { type Html, html, trustedMarkup } from '../html.js';
import type { InstanceAnswer, PageForm } from '../instances.js';
import type { JsonSource } from '../json-source.js';
import { json, type Page, type PageParameter, type PageRequest } from '../page.js';
import type { Views } from '../views.js';
import { renderFrame } from './frame.js';
import type { Site } from './site.js';

/** A page for people: a model read from the views, and its rendering. Scripts get the model as JSON. */
export interface WebPageDefinition<Model> {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly parameters?: readonly PageParameter[];
  /** Whether the page updates itself. Default true. */
  readonly isLive?: boolean;
  /** Reads the views. It throws errors as HttpProblem. */
  model(views: Views, request: PageRequest): Model | Promise<Model>;
  render(model: Model): Html;
  json(model: Model): JsonSource;
  /** Whether only another instance can have what the page is about. Default: never. */
  isElsewhere?(views: Views, request: PageRequest): boolean;
}

/** Parameter of every page for people. The header `Accept: application/json` has the same effect. */
const AS_JSON: PageParameter = { name: 'format', required: false, choice: { type: 'value', value: 'json' } };

export function createWebPage<Model>(site: Site, definition: WebPageDefinition<Model>): Page {
  const { path, title, description, parameters = [], isLive = true } = definition;
  /** The page of the instance that has what it is about; undefined if this one renders it. */
  const elsewhere = async (views: Views, request: PageRequest, form: PageForm): Promise<InstanceAnswer | undefined> => {
    if (views.instances === undefined || definition.isElsewhere?.(views, request) !== true) return undefined;
    const { answers } = await views.instances.ask({ path: `${path}?${request.query.toString()}`, form });
    return answers.find(({ status }) => status === 200);
  };
  const main = async (views: Views, request: PageRequest): Promise<Html> => {
    const other = await elsewhere(views, request, 'html');
    if (other === undefined) return definition.render(await definition.model(views, request));
    // The instance has the identity of the control plane, and has escaped all names.
    return html`<p class="note">Shown by instance <bdi>${other.name}</bdi>.</p>${trustedMarkup(other.content)}`;
  };
  const frame = (views: Views) => ({ site, build: views.build, path, title });
  return {
    path,
    description,
    audience: 'operator',
    parameters: [...parameters, AS_JSON],
    ...(isLive ? { liveContent: main } : {}),
    handle: async (views, request) => {
      if (request.wantsJson) {
        const other = await elsewhere(views, request, 'json');
        if (other !== undefined) return { type: 'text', text: other.content, contentType: 'application/json' };
        return json(definition.json(await definition.model(views, request)));
      }
      return { type: 'html', html: renderFrame({ ...frame(views), isLive, main: await main(views, request) }) };
    },
    renderProblem: (views, text) => {
      const content = html`<h1>${title}</h1><p class="empty">${text}</p>`;
      return renderFrame({ ...frame(views), isLive: false, main: content });
    },
  };
}
