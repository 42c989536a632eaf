/**
 * The script of all pages. It replaces the content of `main` with what the server sends, node by node, so that the focus,
 * texts that are being typed, open details and the scroll position stay. Pages work without it. The content security
 * policy permits it by its hash.
 */
export const FRAME_SCRIPT = `
(() => {
  const light = document.getElementById('live');
  const main = document.querySelector('main[data-live]');
  if (!main || !window.EventSource) return;
  const keep = { DETAILS: ['open'], INPUT: ['value', 'checked'] };
  const syncAttributes = (from, to) => {
    const kept = keep[from.tagName] || [];
    for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && !kept.includes(name)) from.removeAttribute(name);
    for (const { name, value } of [...to.attributes])
      if (from.getAttribute(name) !== value && !kept.includes(name)) from.setAttribute(name, value);
  };
  const sync = (from, to) => {
    if (from.nodeType === 1) {
      syncAttributes(from, to);
      if (from.tagName === 'TEXTAREA' || from.tagName === 'SELECT') return;
    } else if (from.data !== to.data) from.data = to.data;
    const wanted = [...to.childNodes];
    for (const [index, next] of wanted.entries()) {
      const now = from.childNodes[index];
      if (!now) from.append(document.importNode(next, true));
      else if (now.nodeName !== next.nodeName) now.replaceWith(document.importNode(next, true));
      else sync(now, next);
    }
    while (from.childNodes.length > wanted.length) from.lastChild.remove();
  };
  const parser = new DOMParser();
  let source;
  const show = (isOn) => light && light.classList.toggle('on', isOn);
  const update = ({ data }) => {
    const next = parser.parseFromString('<main>' + data + '</main>', 'text/html').querySelector('main');
    for (const { name, value } of main.attributes) next.setAttribute(name, value);
    sync(main, next);
    main.setAttribute('data-updates', String(Number(main.getAttribute('data-updates') || 0) + 1));
  };
  const close = () => { if (source) source.close(); source = undefined; show(false); };
  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource('/debug/live?page=' + encodeURIComponent(location.pathname + location.search));
    source.onopen = () => show(true);
    source.onerror = () => show(false);
    source.addEventListener('page', update);
  };
  // Browsers allow few connections to one server, and hidden pages need none.
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
  open();
})();
`;
