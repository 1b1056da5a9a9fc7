/**
 * Elysia decides by this variable, when it is loaded, whether to put the whole rejected body into every validation
 * error. That costs seconds and hundreds of megabytes for a body made for it, so it is not left to the environment.
 * Imported before anything else.
 */
process.env['NODE_ENV'] = 'production'
