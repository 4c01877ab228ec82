// Elements of the page: found by name, and made.

export const $ = (id) => document.getElementById(id);

export const make = (tag, fields = {}) => Object.assign(document.createElement(tag), fields);
