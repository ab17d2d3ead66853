// The operator's own ledger: an object like an organisation's, for acts that concern no single organisation.

/** Its name, among those of organisations. */
export const OPERATOR_LEDGER = 'operator'
