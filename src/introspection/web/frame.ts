import { type Html, html, scriptElement, styleElement } from '../html.js';
import type { BuildInfo } from '../views.js';
import { FRAME_SCRIPT } from './frame-script.js';
import { FRAME_STYLE } from './frame-style.js';
import type { Site } from './site.js';

export interface FrameContent {
  readonly site: Site;
  readonly build: BuildInfo;
  /** Path of the page. */
  readonly path: string;
  readonly title: string;
  readonly main: Html;
  /** Whether the script keeps the page up to date. */
  readonly isLive: boolean;
}

/** A whole page: head, navigation and content. All inserted text is escaped. */
export function renderFrame({ site, build, path, title, main, isLive }: FrameContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === site.title ? title : `${title} · ${site.title}`}</title>
${styleElement(FRAME_STYLE)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div>
<a class="brand" href="/debug">${site.title}</a>
<nav aria-label="Pages">${site.links.map((link) => renderLink(link.path, link.label, path))}</nav>
<span class="build">${isLive ? html`<span class="live" id="live" title="Green while this page updates itself"></span>` : ''}<bdi>${build.version}</bdi></span>
</div></header>
<main id="main" tabindex="-1"${isLive ? html` data-live` : ''}>${main}</main>
${isLive ? scriptElement(FRAME_SCRIPT) : ''}
</body>
</html>
`;
}

function renderLink(path: string, label: string, current: string): Html {
  const isCurrent = path === current || (path !== '/debug' && current.startsWith(path.replace(/s$/, '')));
  return html`<a href="${path}"${isCurrent ? html` aria-current="page"` : ''}>${label}</a>`;
}
