globalThis.tableChatWords = Object.freeze({});
