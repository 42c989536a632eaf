import type { Page } from '../page.js';
import type { Site } from '../web/site.js';
import { homePages } from './home-topic.js';
import { plainTopics } from './plain-topics.js';
import type { ProcessFacts } from './process-facts.js';
import { scopePages } from './scope-topic.js';

/** The topics of the introspection facility: for each an HTML page, and for most its data as JSON (docs/introspection.md). */
export function createTopicPages(site: Site, facts: ProcessFacts): readonly Page[] {
  return [...homePages(site, facts), ...scopePages(site, facts), ...plainTopics(site, facts)];
}
