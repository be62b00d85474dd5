// Marks on elements that look like what they are not, for whoever looks through a page.

/** A link that looks like a button. */
export const BUTTON_LINK_ATTRIBUTE = 'data-button-link';
/** A button only so that it can have the focus: pressed, it does nothing. */
export const TOOLTIP_ATTRIBUTE = 'data-tooltip';
