/** Elysia reads this when it is loaded: in other modes it puts the whole rejected body into every error. */
process.env['NODE_ENV'] = 'production'
