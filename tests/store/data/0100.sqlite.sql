BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL CONSTRAINT alembic_version_pkc PRIMARY KEY);
INSERT INTO "alembic_version" VALUES('0100');
CREATE TABLE answer_webhooks (
	request_id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	failures INTEGER NOT NULL,
	failure VARCHAR(64) NOT NULL,
	next_at DATETIME,
	ended_at DATETIME,
	secrets TEXT,
	CONSTRAINT pk_answer_webhooks PRIMARY KEY (request_id)
);
INSERT INTO "answer_webhooks" VALUES('Ggj75XS88AzENCIz','ada',0,'',NULL,NULL,'k1.ErA1_qq0B9-B-vGVw-1SGVxtYdw13v1m4fTW0nxKMdOfyTFJ5aGt_BMTm5qbyej7lepyzVhp_AmD3eD2SGrLYwJWGUt0Gz8=');
CREATE TABLE audit (
	id INTEGER NOT NULL,
	at DATETIME NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	way VARCHAR(32) NOT NULL,
	address VARCHAR(255) NOT NULL,
	action VARCHAR(32) NOT NULL,
	object VARCHAR(255) NOT NULL,
	outcome VARCHAR(32) NOT NULL,
	credential VARCHAR(80) DEFAULT '' NOT NULL,
	details JSON,
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'2026-11-24 18:52:12.743176','','oidc','192.0.2.7','server_added','BU3GXw72QT2KllOd','','','{"label": "travel", "address": "http://127.0.0.1/mcp"}');
INSERT INTO "audit" VALUES(2,'2026-11-24 18:52:12.801764','','oidc','192.0.2.7','answered','declined','declined','',NULL);
INSERT INTO "audit" VALUES(3,'2026-11-24 18:52:12.833994','','oidc','192.0.2.7','answered','saved','accepted','',NULL);
INSERT INTO "audit" VALUES(4,'2026-11-24 18:52:12.848351','','oidc','192.0.2.7','server_signed_in','BU3GXw72QT2KllOd','','','{"issuer": "https://as.example", "scopes": ["read"]}');
INSERT INTO "audit" VALUES(5,'2026-11-24 18:52:12.866532','','oidc','192.0.2.7','notice_target_added','t1','','','{"kind": "webhook", "label": "bot"}');
INSERT INTO "audit" VALUES(6,'2026-11-24 18:52:12.872018','','oidc','192.0.2.7','token_made','Y8CVVp76V3Cr51u4','','','{"label": "Agent", "scopes": ["ask"], "user": "ada"}');
INSERT INTO "audit" VALUES(7,'2026-11-24 18:52:12.881892','','oidc','192.0.2.7','program_muted','BU3GXw72QT2KllOd','','','{"label": "travel"}');
INSERT INTO "audit" VALUES(8,'2026-11-24 18:52:12.892392','','oidc','192.0.2.7','server_added','guarded','','','{"label": "travel", "address": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": ["Authorization", "X-Tenant"]}');
INSERT INTO "audit" VALUES(9,'2026-11-24 18:52:13.096460','0xSyEZZY2WmTuSyp','oidc','192.0.2.7','first_seen','0xSyEZZY2WmTuSyp','','',NULL);
INSERT INTO "audit" VALUES(10,'2026-11-24 18:52:13.099041','Lt3UUTVNxyhigzkO','oidc','192.0.2.7','first_seen','Lt3UUTVNxyhigzkO','','',NULL);
INSERT INTO "audit" VALUES(11,'2026-11-24 18:52:13.156867','','oidc','192.0.2.7','user_disabled','Lt3UUTVNxyhigzkO','','',NULL);
INSERT INTO "audit" VALUES(12,'2026-11-24 18:52:13.160415','0xSyEZZY2WmTuSyp','oidc','192.0.2.7','signed_in','0xSyEZZY2WmTuSyp','','',NULL);
INSERT INTO "audit" VALUES(13,'2026-11-24 18:52:13.162244','','oidc','192.0.2.7','signed_in','','','',NULL);
INSERT INTO "audit" VALUES(14,'2026-11-24 18:52:13.164769','','oidc','192.0.2.7','sign_in_refused','3','refused','',NULL);
INSERT INTO "audit" VALUES(15,'2026-11-24 18:52:13.186662','0xSyEZZY2WmTuSyp','oidc','192.0.2.7','embed_session_begun','chat','','',NULL);
INSERT INTO "audit" VALUES(16,'2026-11-24 18:52:13.190688','0xSyEZZY2WmTuSyp','oidc','192.0.2.7','embed_session_begun','chat','','',NULL);
INSERT INTO "audit" VALUES(17,'2026-11-24 18:52:13.195945','','oidc','192.0.2.7','embed_sessions_ended','chat','1','',NULL);
CREATE TABLE browser_sessions (
	session_hash VARCHAR(64) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	expires_at DATETIME NOT NULL,
	way VARCHAR(32) DEFAULT 'local' NOT NULL,
	idle_seconds INTEGER,
	idle_at DATETIME,
	provider_session VARCHAR(255),
	created_at DATETIME,
	used_at DATETIME,
	user_agent VARCHAR(255),
	address VARCHAR(255),
	CONSTRAINT pk_browser_sessions PRIMARY KEY (session_hash)
);
INSERT INTO "browser_sessions" VALUES('f9ee9e93f953b7fb251c1747ee936610b7a62fc9c311fad5abe67930a46831ba','0xSyEZZY2WmTuSyp','2126-10-31 18:52:13.158770','oidc',86400,'2026-11-25 18:52:13.159111','p-1','2026-11-24 18:52:13.159102','2026-11-24 18:52:13.159103','','');
CREATE TABLE call_logs (
	call_id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	entries JSON NOT NULL,
	omitted INTEGER NOT NULL,
	CONSTRAINT pk_call_logs PRIMARY KEY (call_id)
);
INSERT INTO "call_logs" VALUES('2pIheLowDBE8EMgt','ada','[{"at": "2026-11-24T18:52:11.935351+00:00", "level": "info", "logger": "", "text": "booked", "shared": false}]',0);
CREATE TABLE calls (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	server_label TEXT NOT NULL,
	kind VARCHAR(16) NOT NULL,
	name TEXT NOT NULL,
	arguments JSON,
	state VARCHAR(16) NOT NULL,
	round INTEGER NOT NULL,
	progress JSON,
	result JSON,
	error JSON,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	checkpoint JSON,
	via VARCHAR(16) DEFAULT 'page' NOT NULL,
	retry_of VARCHAR(32),
	search_text TEXT DEFAULT '' NOT NULL,
	withheld JSON,
	secrets JSON,
	erased_at DATETIME,
	may_wait BOOLEAN DEFAULT 0 NOT NULL,
	owner VARCHAR(255),
	generation INTEGER,
	tool_failed BOOLEAN DEFAULT 0 NOT NULL,
	values_text TEXT DEFAULT '' NOT NULL,
	task JSON,
	size INTEGER DEFAULT '0' NOT NULL,
	result_size INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT pk_calls PRIMARY KEY (id)
);
INSERT INTO "calls" VALUES('2pIheLowDBE8EMgt','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','running',0,NULL,NULL,NULL,'2026-11-24 18:52:11.934839','2026-11-24 18:52:11.934840',NULL,'api',NULL,'travel
book','["token"]','"k1.myq9X8S9iFATaqffbuATPNr7dlF9LrQ6X-dOUSczCoxTsNzD3PNH0TI6"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('ended','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','done',0,NULL,'{"content": []}',NULL,'2026-11-24 18:52:11.934839','2026-11-24 18:52:11.934840',NULL,'api',NULL,'travel
book','["token"]','"k1.lgzRvzqL8ybQDyZsr9-Ru3qnTV-EAWI0QInQ2hQHCKrsI7YCubT354pe"',NULL,0,'local',1,0,'
',NULL,22,21);
INSERT INTO "calls" VALUES('waits-round','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 18:52:11.934839','2026-11-24 18:52:12.894376','{"version": 1, "kind": "round", "round": 1, "requests": {"k": "asked"}, "state": "s", "unanswered_before": 0}','api',NULL,'travel
book','["token"]','"k1.0p8rFNChK74-K5IzRAhRaCmyCCKDuP7aSuEqjM_AGoF9BvpRfyYGGqrA"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('waits-links','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 18:52:11.934839','2026-11-24 18:52:12.902966','{"version": 1, "kind": "links", "round": 2, "requests": {"e1": "link"}, "error": {"code": -32042}, "answers": {"k": {}}, "state": null, "unanswered_before": 0}','api',NULL,'travel
book','["token"]','"k1.UAijFgOoduCveZAYrJZd4nRwK_JSaKD8Rc-CzIe7FKPbbmQFsvXoh8ro"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('waits-unsent','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 18:52:11.934839','2026-11-24 18:52:12.904028','{"version": 1, "kind": "unsent", "as_task": true}','api',NULL,'travel
book','["token"]','"k1.iyXbEKN54cvBQlx_eTH_3cDA5X6YSsNeLycNJBoOmNnX2wAxXUU7NTLP"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('waits-task','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 18:52:11.934839','2026-11-24 18:52:12.905047','{"version": 1, "kind": "task", "generation": "2025-11-25", "task_id": "t-9", "round": 0, "requests": {}, "progress_token": 7}','api',NULL,'travel
book','["token"]','"k1.gQeOpi97krVDFwXhfUUoC_rQlabQqNKqolZO95cyAjHilN-KauPJHliM"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('is-done','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','done',0,NULL,'{"content": [{"type": "text", "text": "booked"}], "isError": true}',NULL,'2026-11-24 18:52:11.934839','2026-11-24 18:52:12.910442',NULL,'api',NULL,'travel
book','["token"]',NULL,NULL,0,'local',1,1,'

booked','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:12.910346+00:00"}',22,84);
INSERT INTO "calls" VALUES('is-failed','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','failed',0,NULL,NULL,'{"code": -32603, "message": "disk on fire", "data": [1, null], "reconnect_with": "2025-11-25", "reason_code": "server_time_limit", "reason_params": {"label": "Zo\u00eb''s kettle", "duration": 90}}','2026-11-24 18:52:11.934839','2026-11-24 18:52:12.932001',NULL,'api',NULL,'travel
book
zoë''s kettle
1 min 30 s','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:12.931827+00:00"}',22,4);
INSERT INTO "calls" VALUES('is-cancelled','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','cancelled',0,NULL,NULL,'{"reason_code": "call_cancelled"}','2026-11-24 18:52:11.934839','2026-11-24 18:52:12.941166',NULL,'api',NULL,'travel
book
','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:12.940975+00:00"}',22,4);
INSERT INTO "calls" VALUES('is-interrupted','ada','BU3GXw72QT2KllOd','travel','tool','book','{"token": null}','interrupted',0,NULL,NULL,'{"reason_code": "connection_lost"}','2026-11-24 18:52:11.934839','2026-11-24 18:52:12.978782',NULL,'api',NULL,'travel
book
','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:12.978604+00:00"}',22,4);
CREATE TABLE drafts (
	user_id VARCHAR(255) NOT NULL,
	request_id VARCHAR(32) NOT NULL,
	texts JSON NOT NULL,
	updated_at DATETIME NOT NULL,
	prefilled BOOLEAN DEFAULT 0 NOT NULL,
	CONSTRAINT pk_drafts PRIMARY KEY (user_id, request_id)
);
INSERT INTO "drafts" VALUES('ada','Ggj75XS88AzENCIz','{"f0": ["typed"]}','2026-11-24 18:52:12.769727',1);
INSERT INTO "drafts" VALUES('ada','declined','{"f0": ["typed"]}','2026-11-24 18:52:12.778121',1);
INSERT INTO "drafts" VALUES('ada','asked','{"f0": ["typed"]}','2026-11-24 18:52:12.779957',1);
INSERT INTO "drafts" VALUES('ada','expired','{"f0": ["typed"]}','2026-11-24 18:52:12.782821',0);
CREATE TABLE embed_sessions (
	session_hash VARCHAR(64) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	embedder VARCHAR(64) NOT NULL,
	subject VARCHAR(255) NOT NULL,
	host_session VARCHAR(255),
	origin TEXT NOT NULL,
	scopes JSON NOT NULL,
	ends_at DATETIME NOT NULL,
	created_at DATETIME,
	used_at DATETIME,
	user_agent VARCHAR(255),
	address VARCHAR(255),
	CONSTRAINT pk_embed_sessions PRIMARY KEY (session_hash)
);
INSERT INTO "embed_sessions" VALUES('ae29b61498ce16ec2a4b41a9e434ee77e520d110f82ab9f6b397f9a61286afcc','0xSyEZZY2WmTuSyp','chat','g','h-1','https://chat.example','["read", "answer"]','2126-10-31 18:52:13.168193','2026-11-24 18:52:13.186778','2026-11-24 18:52:13.186779','','');
CREATE TABLE ended_embed_sessions (
	session_hash VARCHAR(64) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	embedder VARCHAR(64) NOT NULL,
	forgotten_at DATETIME NOT NULL,
	CONSTRAINT pk_ended_embed_sessions PRIMARY KEY (session_hash)
);
INSERT INTO "ended_embed_sessions" VALUES('4e48833cb2a6ef60c5fb67229d768e422f8c80a12b72ea4150a7562dff743fa1','0xSyEZZY2WmTuSyp','chat','2026-12-24 18:52:13.194301');
CREATE TABLE grants (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	issuer TEXT NOT NULL,
	resource TEXT,
	requested JSON NOT NULL,
	scopes JSON NOT NULL,
	expires_at DATETIME,
	version INTEGER NOT NULL,
	lease_until DATETIME,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_grants PRIMARY KEY (user_id, server_id)
);
INSERT INTO "grants" VALUES('ada','BU3GXw72QT2KllOd','https://as.example','http://127.0.0.1/mcp','["read", "write"]','["read"]','2026-11-24 19:52:11.935291',1,NULL,'k1.Hvp1KzvTvL22Vddyn3A57rUAdKC9X67yL1_DM0912PP2nktH0UyFPEAYK-Marf8aZXB_1LErZitVBFJFnsKe');
CREATE TABLE muted_programs (
	user_id VARCHAR(255) NOT NULL,
	asker_id VARCHAR(64) NOT NULL,
	label TEXT NOT NULL,
	muted_at DATETIME NOT NULL,
	CONSTRAINT pk_muted_programs PRIMARY KEY (user_id, asker_id)
);
INSERT INTO "muted_programs" VALUES('ada','BU3GXw72QT2KllOd','travel','2026-11-24 18:52:12.881525');
CREATE TABLE nodes (
	id VARCHAR(255) NOT NULL,
	generation INTEGER NOT NULL,
	started_at DATETIME NOT NULL,
	CONSTRAINT pk_nodes PRIMARY KEY (id)
);
INSERT INTO "nodes" VALUES('local',1,'2026-11-24 18:52:12.710970');
CREATE TABLE notice_settings (
	user_id VARCHAR(255) NOT NULL,
	wait_seconds INTEGER NOT NULL,
	quiet JSON,
	last_at DATETIME,
	last_id VARCHAR(32) NOT NULL,
	unheeded INTEGER NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_notice_settings PRIMARY KEY (user_id)
);
INSERT INTO "notice_settings" VALUES('ada',10,NULL,'2026-11-24 18:52:11.935330','sent',1,'k1.ioWQGgC02lvGcAPMloIdyY752ig3b96GZO_y_oxZgtHrZWLcxjqMUz8BFQG_Ro3VvH_hjXJenX42Zg29TyI6Ssvf3le_6oA=');
CREATE TABLE notice_targets (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	kind VARCHAR(16) NOT NULL,
	label TEXT NOT NULL,
	language VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	failing_since DATETIME,
	failure VARCHAR(64) NOT NULL,
	disabled_at DATETIME,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_notice_targets PRIMARY KEY (id)
);
INSERT INTO "notice_targets" VALUES('t1','ada','webhook','bot','en','2026-11-24 18:52:11.935328',NULL,'',NULL,'k1.tIkS8McJE7BltcevolbwH1PV3bllhMEyL8-cguLF_xHPpceLjwkSs9XePFb8R4cQiN8XoTjkZfY=');
CREATE TABLE notices (
	target_id VARCHAR(32) NOT NULL,
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	failures INTEGER NOT NULL,
	next_at DATETIME NOT NULL,
	CONSTRAINT pk_notices PRIMARY KEY (target_id)
);
INSERT INTO "notices" VALUES('t1','n1','ada',0,'2026-11-24 18:52:11.935330');
CREATE TABLE pending_sign_ins (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	issuer TEXT NOT NULL,
	scopes JSON NOT NULL,
	new_scopes JSON NOT NULL,
	state_hash VARCHAR(64) NOT NULL,
	nonce_hash VARCHAR(64),
	created_at DATETIME NOT NULL,
	expires_at DATETIME NOT NULL,
	used_at DATETIME,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_pending_sign_ins PRIMARY KEY (id)
);
INSERT INTO "pending_sign_ins" VALUES('FyZyvVdDfVrfI6es','ada','BU3GXw72QT2KllOd','https://as.example','["read", "write"]','["write"]','0000000000000000000000000000000000000000000000000000000000000000',NULL,'2026-11-24 18:52:11.935288','2026-11-24 19:52:11.935271',NULL,'k1.7Yan4I6Tu1HS86gWuKqb_bo3IPOaotJK_PDL01xdGrF8_zVDj8qCpSytt_5e6GebYaOu7rEaTinlRakND-LNwEpgAovYVGS0wcDFKUC934J_8LA59ECBIzAqvE4X3OQxawq-T9ub3Luu-TSHvcynMYv_V_MreMQGqvLJS7vNRy_WxjkcafiEO-vY2A==');
CREATE TABLE program_tokens (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	token_hash VARCHAR(64) NOT NULL,
	label TEXT NOT NULL,
	scopes JSON NOT NULL,
	hint VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	used_at DATETIME,
	revoked_at DATETIME,
	muted_at DATETIME,
	may_ask JSON,
	CONSTRAINT pk_program_tokens PRIMARY KEY (id)
);
INSERT INTO "program_tokens" VALUES('Y8CVVp76V3Cr51u4','ada','8a8da5b1764b88a7edaa98f5316d9a8b5f34a2f257f5b19cce0224bccf954b6b','Agent','["ask"]','cret','2026-11-24 18:52:11.935349',NULL,NULL,NULL,NULL);
CREATE TABLE registrations (
	user_id VARCHAR(255) NOT NULL,
	digest VARCHAR(64) NOT NULL,
	issuer TEXT NOT NULL,
	redirect_uri TEXT NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_registrations PRIMARY KEY (user_id, digest)
);
INSERT INTO "registrations" VALUES('ada','ffc344c5518579361da04c7fd76c87be0d35f801975c8646a2043c0eb355ea7a','https://as.example','http://127.0.0.1:8765/oauth/callback','k1.3zTcexRPEn8FzYs-hKuQb3v6H88m65TQDH9hu6xTq3H2OoVV-S7WgOMvmN08UGss2msHRYM-TVEGpll24FC8us7q');
CREATE TABLE requests (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	call_id VARCHAR(32),
	kind VARCHAR(16) NOT NULL,
	params JSON,
	asked_by JSON,
	during JSON,
	round INTEGER,
	position INTEGER NOT NULL,
	total INTEGER NOT NULL,
	state VARCHAR(16) NOT NULL,
	content JSON,
	expires_at DATETIME,
	created_at DATETIME NOT NULL,
	settled_at DATETIME,
	count INTEGER DEFAULT '1' NOT NULL,
	via VARCHAR(16),
	delivery VARCHAR(16),
	came VARCHAR(16) DEFAULT 'pushed' NOT NULL,
	opened_at DATETIME,
	digest VARCHAR(64),
	search_text TEXT DEFAULT '' NOT NULL,
	withheld JSON,
	secrets JSON,
	erased_at DATETIME,
	ended_via VARCHAR(16),
	possible_calls JSON,
	reason_code VARCHAR(64),
	reason_params JSON,
	reason_search_text TEXT,
	owner VARCHAR(255),
	generation INTEGER,
	decided VARCHAR(16),
	undo_until DATETIME,
	values_text TEXT DEFAULT '' NOT NULL,
	sampling JSON,
	task_id TEXT,
	wire_id JSON,
	hosted_task_id VARCHAR(64),
	noticed_at DATETIME,
	excerpt TEXT DEFAULT '' NOT NULL,
	call_name TEXT,
	parts INTEGER DEFAULT '0' NOT NULL,
	size INTEGER DEFAULT '0' NOT NULL,
	other_size INTEGER DEFAULT '0' NOT NULL,
	decline_message TEXT,
	CONSTRAINT pk_requests PRIMARY KEY (id)
);
INSERT INTO "requests" VALUES('Ggj75XS88AzENCIz','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,'2026-11-25 18:52:11.934864','2026-11-24 18:52:11.934888',NULL,1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,'["2pIheLowDBE8EMgt"]',NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('expired','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'expired',NULL,NULL,'2026-11-24 18:52:11.935013','2026-11-24 18:52:12.784736',1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('declined','ada','BU3GXw72QT2KllOd','ended','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'declined',NULL,NULL,'2026-11-24 18:52:11.935050','2026-11-24 18:52:12.796689',1,'page',NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('sent','ada','BU3GXw72QT2KllOd','2pIheLowDBE8EMgt','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted','{"name": null}',NULL,'2026-11-24 18:52:11.935083','2026-11-24 18:52:12.805958',1,NULL,'sending','round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','["name"]','"k1.XdG9vffmuL_CIfGM4X_Cj3FcsWl8SAGBsWX4aKnJ5WsSCmEmjzSIfmzCeA=="',NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name',NULL,NULL,NULL,NULL,'2026-11-24 18:52:11.935330','née ☃',NULL,0,91,31,NULL);
INSERT INTO "requests" VALUES('saved','ada','BU3GXw72QT2KllOd','2pIheLowDBE8EMgt','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted','{"name": "Ada"}',NULL,'2026-11-24 18:52:11.935115','2026-11-24 18:52:12.831833',1,'page','saved','round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,31,NULL);
INSERT INTO "requests" VALUES('asked','ada','BU3GXw72QT2KllOd','2pIheLowDBE8EMgt','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,'2026-11-24 18:52:11.935144',NULL,1,NULL,NULL,'round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('link','ada','BU3GXw72QT2KllOd',NULL,'form','{"url": "https://a.example", "elicitationId": "e1"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'waiting',NULL,NULL,'2026-11-24 18:52:11.935172','2026-11-24 18:52:12.885830',1,NULL,NULL,'pushed','2026-11-24 18:52:12.885694','52dfbe3be6487ac145126773a10f5eedf3a72b0a63a8d90f690614989f3f0c1b','travel
','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'',NULL,0,51,8,NULL);
INSERT INTO "requests" VALUES('hosted','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted','{"name": "Ada"}',NULL,'2026-11-24 18:52:11.935203','2026-11-24 18:52:12.839678',1,NULL,'sending','hosted',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,'t-1',NULL,'née ☃',NULL,0,91,31,NULL);
INSERT INTO "requests" VALUES('other','ada','program-1',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,'2026-11-24 18:52:11.935241',NULL,1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('is-pending','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it pending?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,'2026-11-24 18:52:12.987289',NULL,1,NULL,NULL,'pushed',NULL,'574a5b54196b766b5d170627284a494aab2bc594622c37e5e977c9ee251a3981','travel
is it pending?','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it pending?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-accepted','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it accepted?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted','{"name": "Ada"}',NULL,'2026-11-24 18:52:13.013268','2026-11-24 18:52:13.015008',1,NULL,'delivered','pushed',NULL,'f906d06ae59a60d0fd6860cbd2518aa48982d7f3d280958600c2b873cb221610','travel
is it accepted?','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,NULL,NULL,'Is it accepted?',NULL,0,30,31,NULL);
INSERT INTO "requests" VALUES('is-declined','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it declined?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'declined',NULL,NULL,'2026-11-24 18:52:13.015903','2026-11-24 18:52:13.017790',1,NULL,NULL,'pushed',NULL,'a8541031d254baeddb05b491d6e773c5b0a6ce11cafefec215ca05ce820371ef','travel
is it declined?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it declined?',NULL,0,30,8,NULL);
INSERT INTO "requests" VALUES('is-cancelled','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it cancelled?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'cancelled',NULL,NULL,'2026-11-24 18:52:13.025783','2026-11-24 18:52:13.028390',1,NULL,NULL,'pushed',NULL,'aa6a697c93ff74a29914802b52b6196a2123c356eaa4432d1c0ba5d4090bab85','travel
is it cancelled?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it cancelled?',NULL,0,31,8,NULL);
INSERT INTO "requests" VALUES('is-withdrawn','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it withdrawn?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'withdrawn',NULL,NULL,'2026-11-24 18:52:13.030104','2026-11-24 18:52:13.032236',1,NULL,NULL,'pushed',NULL,'6490e8317442e1a8aff0e2f2e37e16f06c5c514af324980c921eb64b754f7572','travel
is it withdrawn?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it withdrawn?',NULL,0,31,8,NULL);
INSERT INTO "requests" VALUES('is-expired','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it expired?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'expired',NULL,NULL,'2026-11-24 18:52:13.045153','2026-11-24 18:52:13.046250',1,NULL,NULL,'pushed',NULL,'79be4f2bfde15e1b16178d1883a02f08e29f7a7b3a6dc5288b82e7c85fc3333e','travel
is it expired?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it expired?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-interrupted','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it interrupted?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'interrupted',NULL,NULL,'2026-11-24 18:52:13.047036','2026-11-24 18:52:13.050472',1,NULL,NULL,'pushed',NULL,'3c15112a91d529c33f04062053531efa9103106167a351d2d10b52404616ab57','travel
is it interrupted?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it interrupted?',NULL,0,33,8,NULL);
INSERT INTO "requests" VALUES('is-refused','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it refused?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'refused',NULL,NULL,'2026-11-24 18:52:13.054896','2026-11-24 18:52:13.056297',1,NULL,NULL,'pushed',NULL,'b150d492ad648f1f4646658d53a6a41232088d9ef5cf62dc9f3644edb827ce30','travel
is it refused?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it refused?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-waiting','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it waiting?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'waiting',NULL,NULL,'2026-11-24 18:52:13.066167','2026-11-24 18:52:13.075491',1,NULL,NULL,'pushed',NULL,'9857efd9d4cc219a4da57ad7749bc8accbe5bcd68be30a23debcd638cf115675','travel
is it waiting?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it waiting?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-completed','ada','BU3GXw72QT2KllOd',NULL,'form','{"message": "Is it completed?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'completed',NULL,NULL,'2026-11-24 18:52:13.076437','2026-11-24 18:52:13.091822',1,NULL,NULL,'pushed','2026-11-24 18:52:13.083082','87545864d1fa394c8b44f2cc92381ed8c6f1a53179c3d20797473907eb86fed9','travel
is it completed?','[]',NULL,NULL,'api',NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it completed?',NULL,0,31,8,NULL);
INSERT INTO "requests" VALUES('sampled','ada','BU3GXw72QT2KllOd',NULL,'sampling','{"messages": [{"role": "user", "content": {"type": "text", "text": "Sum up."}}], "maxTokens": 9}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,'2026-11-24 18:52:13.093245',NULL,1,NULL,NULL,'pushed',NULL,'49da64501ca384208c8ce79f82bc6378dfb3013a6216420ba6060bd36a99484b','travel
sum up.','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'','{"stage": "reviewing", "conversation": "", "turn": 1, "seen": 0, "model": "m", "result": {"role": "assistant"}, "usage": {"input_tokens": 0, "output_tokens": 3, "cost": null, "currency": "", "is_estimate": false}, "by_rule": false, "approved": false, "approved_turns": 0}',NULL,NULL,NULL,NULL,'Sum up.',NULL,0,96,8,NULL);
CREATE TABLE sampling_spent (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	day VARCHAR(10) NOT NULL,
	requests INTEGER NOT NULL,
	tokens INTEGER NOT NULL,
	costs JSON NOT NULL,
	CONSTRAINT pk_sampling_spent PRIMARY KEY (user_id, server_id, day)
);
INSERT INTO "sampling_spent" VALUES('ada','BU3GXw72QT2KllOd','2026-11-24',1,1,'{}');
CREATE TABLE saved_sessions (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_saved_sessions PRIMARY KEY (user_id, server_id)
);
INSERT INTO "saved_sessions" VALUES('ada','BU3GXw72QT2KllOd','k1.b3GvA-w8fQlSzhLH6yqhxuLwx1jEbROK0p14Qq3FTc5WJ1DOBSSPhLBMSJ5zz2iuPA22aIh5g0VS2BZZ2nM2yUrWzuoI0OAhlPG2NlS379K0rR4nxe3mmZkIorR3t0Zth3PTz6eEkAgNt85571p8zGrhDuG0P6ksgq-fzU_acDJBV7TokL6TYnmrjMBpLRe6IHloUK7LkKJ_H2ok1N_oPjOTtD5ZRTTafhfPLJ7xEf51avHAoudGawnTJjwp7S-1a5BMbTXCLTCK-IT4u9DT9OA6zj2JN-P4oEp4aSLl5K8UqOhcd7rX_skhdiecDOAw_Y5fYOo5h9jXKSOezELcRXLUilFT7SE_xrY4I-eOmyF3aQS9xxzK1PFkDiSxWiG7aZZp');
CREATE TABLE servers (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	name TEXT,
	label TEXT NOT NULL,
	transport JSON NOT NULL,
	era VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	modes JSON DEFAULT '["form", "url"]' NOT NULL,
	muted_at DATETIME,
	learned JSON DEFAULT '{}' NOT NULL,
	oauth JSON DEFAULT '{}' NOT NULL,
	secrets TEXT,
	sampling JSON DEFAULT '{}' NOT NULL,
	roots JSON,
	log_level VARCHAR(16) DEFAULT 'debug' NOT NULL,
	followed JSON DEFAULT '[]' NOT NULL,
	reconnects BOOLEAN DEFAULT 1 NOT NULL,
	CONSTRAINT pk_servers PRIMARY KEY (id)
);
INSERT INTO "servers" VALUES('BU3GXw72QT2KllOd','ada',NULL,'travel','{"type": "http", "url": "http://127.0.0.1/mcp"}','auto','2026-11-24 18:52:11.934814','["form", "url", "sampling"]',NULL,'{}','{}',NULL,'{}',NULL,'debug','[]',0);
INSERT INTO "servers" VALUES('guarded','ada',NULL,'travel','{"type": "http", "url": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": {"Authorization": null, "X-Tenant": null}, "env": {"TOKEN": null}}','auto','2026-11-24 18:52:11.934814','["form", "url", "sampling"]',NULL,'{}','{"client_id": "our-client", "client_secret": null, "private_key": null, "idp_id_token": null}','k1.yNggtq7QlIX9y2v5J4CB2V7__Wcy_kkRxtZT7tL2B5-JNB-tnRumsELCZAbv16CsNP55b5nsozmZKwe9qJbrJZNiqOWV93ADzhc50406X0tFZA8uQq39uf4IxMt8PkwYvbZeJxZqNIlQHtEhPqbG4VlVrE9B6HlfeKpOja7TMynGgFSTUsZ065ZhbfPvcVyh267XGpNu1MQnDiX68xkhIj047L5XP3vPNLFlkarEkpzI8wGvCr02WD8UZvAJ9xi6UmK-ZhoYXqCQY_fDkzQzh1c4_pLh7L6JF9XOQzTrvsnbymaNpEZo5xMWouvoWO2KxGuOY-qAXKQ6Kq4ld7-QYNXJDmpoXl4gG8gvgHWHcvdN0NOoIMB_Pel-SSCG6JYvmAT_C9WMflaRS4V6oDlhIr0QUwH9prKa-y7BE-L2whou17Dka82OSc_M0ppHMItfWFJOCCTL-iAuo4cJQA==','{}',NULL,'debug','[]',0);
CREATE TABLE step_ups (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	scope_digest VARCHAR(64) NOT NULL,
	count INTEGER NOT NULL,
	last_at DATETIME NOT NULL,
	CONSTRAINT pk_step_ups PRIMARY KEY (user_id, server_id, scope_digest)
);
INSERT INTO "step_ups" VALUES('ada','BU3GXw72QT2KllOd','10fd874b68dad080ed706762c8e163dabb20514bddae38fb159c56f714a3b143',1,'2026-11-24 18:52:12.860919');
CREATE TABLE task_choices (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	tool_digest VARCHAR(64) NOT NULL,
	CONSTRAINT pk_task_choices PRIMARY KEY (user_id, server_id, tool_digest)
);
INSERT INTO "task_choices" VALUES('ada','BU3GXw72QT2KllOd','811f2a14b9850c9d9c7562f29228754bfabbd03407fb41f00994180bd9de98f2');
CREATE TABLE used_tokens (
	digest VARCHAR(64) NOT NULL,
	expires_at DATETIME NOT NULL,
	CONSTRAINT pk_used_tokens PRIMARY KEY (digest)
);
INSERT INTO "used_tokens" VALUES('c60ce4446b4d01e0017df290f5d4a2f47bdca50f319fd9c34b2e0b94e66c7a08','2126-10-31 18:52:13.168214');
INSERT INTO "used_tokens" VALUES('683abe4cd4862400384cb3d97aa9b037275a3da05fa87eb9aff48aba434d286d','2126-10-31 18:52:13.188366');
INSERT INTO "used_tokens" VALUES('bc8c66a01dde17fa570725675cfdb078eb039f43feae3f98817fd77e872d20b3','2126-10-31 18:52:13.196926');
CREATE TABLE users (
	id VARCHAR(255) NOT NULL,
	issuer VARCHAR(255) NOT NULL,
	subject VARCHAR(255) NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	role VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	seen_at DATETIME NOT NULL,
	disabled_at DATETIME,
	signed_in_at DATETIME,
	erasing_at DATETIME,
	CONSTRAINT pk_users PRIMARY KEY (id)
);
INSERT INTO "users" VALUES('local','local','local','','','admin','2026-11-24 18:52:12.730925','2026-11-24 18:52:12.730931',NULL,'2026-11-24 18:52:12.730932',NULL);
INSERT INTO "users" VALUES('0xSyEZZY2WmTuSyp','https://idp','g','Grace','','admin','2026-11-24 18:52:13.096021','2026-11-24 18:52:13.096022',NULL,'2026-11-24 18:52:13.095987',NULL);
INSERT INTO "users" VALUES('Lt3UUTVNxyhigzkO','https://idp','a','','alan@corp.example','user','2026-11-24 18:52:13.098664','2026-11-24 18:52:13.098665','2026-11-24 18:52:13.103349','2026-11-24 18:52:13.098636',NULL);
CREATE INDEX ix_answer_webhooks_user_id ON answer_webhooks (user_id);
CREATE INDEX ix_answer_webhooks_next_at ON answer_webhooks (next_at);
CREATE INDEX ix_audit_at ON audit (at);
CREATE INDEX ix_audit_user_id ON audit (user_id);
CREATE INDEX ix_audit_object ON audit (object);
CREATE INDEX ix_browser_sessions_user_id ON browser_sessions (user_id);
CREATE INDEX ix_calls_user_id_updated_at_id ON calls (user_id, updated_at, id);
CREATE INDEX ix_calls_user_id_created_at_id ON calls (user_id, created_at, id);
CREATE INDEX ix_calls_user_id_server_id_created_at_id ON calls (user_id, server_id, created_at, id);
CREATE INDEX ix_calls_state_user_id_server_id ON calls (state, user_id, server_id);
CREATE INDEX ix_calls_erased_at_updated_at ON calls (erased_at, updated_at);
CREATE INDEX ix_calls_secrets ON calls (id) WHERE secrets IS NOT NULL;
CREATE INDEX ix_embed_sessions_user_id ON embed_sessions (user_id);
CREATE INDEX ix_embed_sessions_ends_at ON embed_sessions (ends_at);
CREATE INDEX ix_embed_sessions_embedder_subject ON embed_sessions (embedder, subject);
CREATE INDEX ix_embed_sessions_embedder_host_session ON embed_sessions (embedder, host_session);
CREATE INDEX ix_ended_embed_sessions_user_id ON ended_embed_sessions (user_id);
CREATE INDEX ix_ended_embed_sessions_forgotten_at ON ended_embed_sessions (forgotten_at);
CREATE INDEX ix_notice_targets_user_id ON notice_targets (user_id);
CREATE INDEX ix_notices_next_at ON notices (next_at);
CREATE INDEX ix_pending_sign_ins_state_hash ON pending_sign_ins (state_hash);
CREATE UNIQUE INDEX ix_pending_sign_ins_user_id_server_id ON pending_sign_ins (user_id, server_id);
CREATE INDEX ix_program_tokens_user_id ON program_tokens (user_id);
CREATE INDEX ix_program_tokens_token_hash ON program_tokens (token_hash);
CREATE INDEX ix_requests_call_id ON requests (call_id);
CREATE INDEX ix_requests_user_id_state_created_at ON requests (user_id, state, created_at);
CREATE INDEX ix_requests_user_id_server_id_digest ON requests (user_id, server_id, digest);
CREATE INDEX ix_requests_state_expires_at ON requests (state, expires_at);
CREATE INDEX ix_requests_user_id_settled_at_id ON requests (user_id, settled_at, id);
CREATE INDEX ix_requests_user_id_created_at_position_id ON requests (user_id, created_at, position, id);
CREATE INDEX ix_requests_user_id_server_id_created_at_position_id ON requests (user_id, server_id, created_at, position, id);
CREATE INDEX ix_requests_user_id_state_server_id ON requests (user_id, state, server_id);
CREATE INDEX ix_requests_erased_at_settled_at ON requests (erased_at, settled_at);
CREATE INDEX ix_requests_secrets ON requests (id) WHERE secrets IS NOT NULL;
CREATE INDEX ix_requests_sending ON requests (id) WHERE delivery = 'sending';
CREATE INDEX ix_requests_possible_calls ON requests (user_id, created_at) WHERE possible_calls IS NOT NULL;
CREATE INDEX ix_requests_opened ON requests (user_id, server_id, created_at) WHERE opened_at IS NOT NULL;
CREATE INDEX ix_requests_hosted_task_id ON requests (hosted_task_id) WHERE hosted_task_id IS NOT NULL;
CREATE INDEX ix_requests_hosted ON requests (user_id, server_id, created_at, id) WHERE hosted_task_id IS NOT NULL;
CREATE INDEX ix_servers_user_id ON servers (user_id);
CREATE INDEX ix_used_tokens_expires_at ON used_tokens (expires_at);
CREATE UNIQUE INDEX ix_users_issuer_subject ON users (issuer, subject);
CREATE INDEX ix_users_created_at_id ON users (created_at, id);
CREATE INDEX ix_users_disabled ON users (id) WHERE disabled_at IS NOT NULL;
COMMIT;
