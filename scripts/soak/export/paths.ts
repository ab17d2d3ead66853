// What the Worker of the long test of exports answers beside the service's own routes, each followed by an organisation's id.

export const FILL_PATH = '/soak/fill/'
export const PUT_AWAY_PATH = '/soak/put-away/'
