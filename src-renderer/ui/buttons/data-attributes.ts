// Marks on elements that look like what they are not, for whoever looks through a page.

/** A link that looks like a button. */
export const ACTS_AS_BUTTON = 'data-acts';
/** A button only so that it can have the focus: pressed, it does nothing. */
export const ONLY_EXPLAINS = 'data-explains';
