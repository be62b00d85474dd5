// Monaco's theme. Monaco needs numeric colors, so they are read from the tokens of app.css, again
// on every theme change.
import type { editor } from 'monaco-editor/editor/editor.api.js';

export const MONACO_THEME = 'holdfast';

export function syncMonacoTheme(monaco: { readonly editor: typeof editor }): void {
  const define = (): void => {
    monaco.editor.defineTheme(MONACO_THEME, readTheme());
    monaco.editor.setTheme(MONACO_THEME);
  };
  define();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', define);
  // A chosen theme is set on the root element.
  new MutationObserver(define).observe(document.documentElement, {
    attributeFilter: ['class', 'data-theme', 'style'],
  });
}

function readTheme(): editor.IStandaloneThemeData {
  const token = tokenReader();
  const [surface, ink, muted, line, hover, accent] = [
    token('surface'),
    token('ink'),
    token('muted'),
    token('line'),
    token('hover'),
    token('accent'),
  ];
  return {
    base: isDark(surface) ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      { token: 'comment', foreground: withoutHash(muted), fontStyle: 'italic' },
      { token: 'keyword', foreground: withoutHash(token('ansi-magenta')) },
      { token: 'string', foreground: withoutHash(token('good')) },
      { token: 'number', foreground: withoutHash(token('wait')) },
      { token: 'type', foreground: withoutHash(token('active')) },
      { token: 'regexp', foreground: withoutHash(token('bad')) },
      { token: 'delimiter', foreground: withoutHash(ink) },
    ],
    colors: {
      'editor.background': surface,
      'editor.foreground': ink,
      'editorLineNumber.foreground': muted,
      'editorLineNumber.activeForeground': ink,
      'editorLineNumber.dimmedForeground': muted,
      'editor.lineHighlightBackground': hover,
      'editor.lineHighlightBorder': '#00000000',
      'editorCursor.foreground': accent,
      'editorIndentGuide.background1': line,
      'editorWidget.background': surface,
      'editorWidget.border': token('line-strong'),
      'editorHoverWidget.background': surface,
      'editorSuggestWidget.background': surface,
      'editorSuggestWidget.selectedBackground': token('active-tint'),
      'editorSuggestWidget.selectedForeground': ink,
      'editorSuggestWidget.foreground': ink,
      'editorSuggestWidget.highlightForeground': accent,
      'editorSuggestWidget.focusHighlightForeground': accent,
      'editorGutter.background': surface,
      'editorError.foreground': token('bad'),
      'editorWarning.foreground': token('wait'),
      'diffEditor.insertedTextBackground': `${token('good')}26`,
      'diffEditor.removedTextBackground': `${token('bad')}26`,
      'diffEditor.insertedLineBackground': `${token('good')}1a`,
      'diffEditor.removedLineBackground': `${token('bad')}1a`,
      'diffEditor.border': line,
      'scrollbar.shadow': '#00000000',
      // Faded code is hard to read, so unused code gets an underline instead.
      'editorUnnecessaryCode.opacity': '#000000ff',
      'editorUnnecessaryCode.border': muted,
      focusBorder: accent,
    },
  };
}

const withoutHash = (colour: string): string => colour.slice(1);

function isDark(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  );
  return (red + green + blue) / 3 < 128;
}

/** Tokens are in oklch. Painting a pixel converts any color to RGB. */
function tokenReader(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  return (name) => {
    if (!pixel) return '#808080';
    pixel.fillStyle = style.getPropertyValue(`--${name}`).trim();
    pixel.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = pixel.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
}
