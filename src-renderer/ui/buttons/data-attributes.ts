// Data attributes for elements whose role differs from their look. The palette reads them.

/** A link styled as a button. */
export const BUTTON_LINK_ATTRIBUTE = 'data-button-link';
/** A button that only makes its tooltip focusable. */
export const TOOLTIP_ATTRIBUTE = 'data-tooltip';
