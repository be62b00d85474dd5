// Monaco puts style elements and style attributes into the page as text, which our policy forbids.
// The same through the CSSOM is allowed: nothing that comes as text can become a style by itself.
// The build puts these in the place of Monaco's own (electron.vite.config.ts names the places).

/** Code is escaped in what Monaco builds, so a tag is only ever a tag. */
const TAG = /<[^<>]*>/g;

/** Monaco gives texts, or its own trusted ones. */
type Html = { toString(): string };

function toFragment(html: Html): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = String(html).replaceAll(TAG, (tag) =>
    tag.replace(' style="', ' data-style="'),
  );
  for (const element of template.content.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset['style'] ?? '';
    delete element.dataset['style'];
  }
  return template.content;
}

/** As `element.innerHTML = html`. */
export function setHtml(element: Element, html: Html): void {
  element.replaceChildren(toFragment(html));
}

/** As `element.insertAdjacentHTML(where, html)`, for the two places that Monaco uses. */
export function insertHtml(element: Element, where: 'afterend' | 'beforeend', html: Html): void {
  if (where === 'afterend') element.after(toFragment(html));
  else element.append(toFragment(html));
}

/** What Monaco takes for a style element: its text and its rules go into a sheet of the document. */
export function createStyleElement(): HTMLElement {
  const sheet = new CSSStyleSheet();
  let text = '';
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement('meta');
  Object.defineProperties(element, {
    sheet: { get: () => sheet },
    textContent: {
      get: () => text,
      set: (css: string) => {
        text = css;
        sheet.replaceSync(css);
      },
    },
    remove: {
      value: () => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
        Element.prototype.remove.call(element);
      },
    },
  });
  return element;
}
