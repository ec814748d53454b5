// Made by `manage.py messages` from locale/de/LC_MESSAGES/djangojs.po.
globalThis.tableChatWords = Object.freeze({

});
