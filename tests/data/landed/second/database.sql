BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0043');
CREATE TABLE anchored_heads (
	anchor BIGINT NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	head VARCHAR(80) NOT NULL, 
	CONSTRAINT pk_anchored_heads PRIMARY KEY (anchor, task)
);
CREATE TABLE anchors (
	n BIGINT NOT NULL, 
	at DOUBLE NOT NULL, 
	root VARCHAR(80) NOT NULL, 
	count INTEGER NOT NULL, 
	"before" VARCHAR(80) NOT NULL, 
	hash VARCHAR(80) NOT NULL, 
	CONSTRAINT pk_anchors PRIMARY KEY (n)
);
CREATE TABLE announcements (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	level VARCHAR(16) NOT NULL, 
	starts DOUBLE, 
	ends DOUBLE, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_announcements PRIMARY KEY (id), 
	CONSTRAINT fk_announcements_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE artifact_places (
	owner VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	place VARCHAR(64) NOT NULL, 
	subject VARCHAR(64) NOT NULL, 
	path TEXT NOT NULL, 
	format VARCHAR(24) NOT NULL, 
	detail JSON NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_artifact_places PRIMARY KEY (owner, digest, place, subject), 
	CONSTRAINT fk_artifact_places_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "artifact_places" VALUES('local','7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7','service','','','','{}',1.79512661017624521259e+09);
INSERT INTO "artifact_places" VALUES('local','55cf4a776f201e020533f4340b7554cad445c62d82776abf2f002c26a6462f43','service','','','','{}',1.79512661017624521259e+09);
INSERT INTO "artifact_places" VALUES('local','0d458001b5edb38274cc7fca69b3e607b4fb839e127ed6d0c02fe23ea13cbad6','service','','','','{}',1.79512661017624521259e+09);
INSERT INTO "artifact_places" VALUES('local','181cc886152ccd9de7462f3c4fed1487388b5af273873a81022876acca0a2f3e','e4nzfqcwnwpyv','imnmgx4h28x9f','/recorded/agent-work/images/venvs/d7faec84c31026f45f96ec4a','venv','{"identity":"sha256:d7faec84c31026f45f96ec4af6c512fe7bf08c28fe61c8919f8e9f89f5aaa207","format":"venv","runtime":"venv","sha256":"181cc886152ccd9de7462f3c4fed1487388b5af273873a81022876acca0a2f3e","size":65779,"platform":"linux/amd64","file":"/recorded/agent-work/images/venvs/d7faec84c31026f45f96ec4a","base":{"reference":"","digest":"python-3.11"},"python":"3.11.7","packages":{"system":{},"python":{"six":"1.17.0"}},"variables":{"VIRTUAL_ENV":"/recorded/agent-work/images/venvs/d7faec84c31026f45f96ec4a/venv"},"labels":{"of":"landed"},"path":["/recorded/agent-work/images/venvs/d7faec84c31026f45f96ec4a/venv/bin"],"built":{"at":1795126612.2409325,"seconds":0.406,"whole_seconds":0.406,"host":"vm","user":"root","build":"aggdcp5zgvw4z"},"stat":{},"native":"","shared":false,"arrived":false,"version":2}',1.79512661233684015275e+09);
INSERT INTO "artifact_places" VALUES('local','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185','e4nzfqcwnwpyv','in-place','/recorded/data','files','{"pinned":false,"used":1795126610.4719472,"changed":[]}',1.79512660994393277169e+09);
INSERT INTO "artifact_places" VALUES('local','f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68','e4nzfqcwnwpyv','in-place','/recorded/agent-work/tasks/tad24gj4wq2th/run/out','files','{"pinned":false,"used":1795126613.3685217,"changed":[]}',1.79512661327644658087e+09);
INSERT INTO "artifact_places" VALUES('local','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02','service','copy','','files','{"pinned":true,"used":1795126613.7695374,"changed":[]}',1.79512661376953744883e+09);
INSERT INTO "artifact_places" VALUES('local','23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d','e4nzfqcwnwpyv','in-place','/recorded/agent-work/tasks/t38cmw3nj26pm/run/model.txt','files','{"pinned":false,"used":1795126613.716992,"changed":[]}',1.79512661373373055458e+09);
INSERT INTO "artifact_places" VALUES('local','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02','e4nzfqcwnwpyv','in-place','/recorded/agent-work/tasks/td4nrg2fdnp7h/run/model.txt','files','{"pinned":false,"used":1795126613.0071104,"changed":[]}',1.79512661303094363208e+09);
CREATE TABLE artifacts (
	owner VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	size BIGINT NOT NULL, 
	is_complete BOOLEAN NOT NULL, 
	created DOUBLE NOT NULL, 
	used DOUBLE NOT NULL, 
	CONSTRAINT pk_artifacts PRIMARY KEY (owner, digest), 
	CONSTRAINT fk_artifacts_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "artifacts" VALUES('local','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185','tree',12,0,1.79512660994396591185e+09,1.79512661346337485312e+09);
INSERT INTO "artifacts" VALUES('local','0d458001b5edb38274cc7fca69b3e607b4fb839e127ed6d0c02fe23ea13cbad6','file',24,0,1.79512661017531585695e+09,1.79512661038892674448e+09);
INSERT INTO "artifacts" VALUES('local','55cf4a776f201e020533f4340b7554cad445c62d82776abf2f002c26a6462f43','file',280,0,1.79512661017531585695e+09,1.79512661038892674448e+09);
INSERT INTO "artifacts" VALUES('local','7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7','snapshot',266,1,1.79512661017531585695e+09,1.79512661040261268618e+09);
INSERT INTO "artifacts" VALUES('local','181cc886152ccd9de7462f3c4fed1487388b5af273873a81022876acca0a2f3e','image',65779,0,1.79512661233758926389e+09,1.79512661233780980102e+09);
INSERT INTO "artifacts" VALUES('local','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02','tree',1,0,1.79512661303097367281e+09,1.79512661385172915453e+09);
INSERT INTO "artifacts" VALUES('local','f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68','tree',2,0,1.79512661327647709847e+09,1.79512661346474599842e+09);
INSERT INTO "artifacts" VALUES('local','23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d','tree',2,0,1.79512661373375487323e+09,1.79512661385106587412e+09);
CREATE TABLE assignments (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	spec JSON NOT NULL, 
	code JSON, 
	due DOUBLE, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_assignments PRIMARY KEY (id), 
	CONSTRAINT fk_assignments_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_assignments_project FOREIGN KEY(project) REFERENCES projects (id), 
	CONSTRAINT uq_assignments_project_name UNIQUE (project, name)
);
CREATE TABLE audit (
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	name TEXT NOT NULL, 
	action TEXT NOT NULL, 
	about JSON NOT NULL, 
	outcome VARCHAR(64) NOT NULL, 
	address TEXT NOT NULL, 
	credential VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (n)
);
INSERT INTO "audit" VALUES(1,'local',1.79512660642271685597e+09,'root','POST /endpoints','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(2,'local',1.79512660713455176348e+09,'root','POST /endpoints/{name}/confirm','{"name":"laptop"}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(3,'local',1.79512660941657185547e+09,'root','POST /projects','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(4,'local',1.7951266094331974983e+09,'root','POST /datasets','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(5,'local',1.79512661018412709229e+09,'root','POST /jobs','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(6,'local',1.79512661029249835013e+09,'root','POST /jobs','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(7,'local',1.79512661034475421903e+09,'root','POST /images/builds','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(8,'local',1.79512661040300202375e+09,'root','POST /studies','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(9,'local',1.7951266108730180263e+09,'root','POST /pipelines','{"pipeline":"fyy7z93ujseux"}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(10,'local',1.79512661279969191552e+09,'root','PATCH /tasks/{task}','{"task":"td4nrg2fdnp7h"}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(11,'local',1.79512661280565118788e+09,'root','POST /tasks/{task}/results','{"task":"td4nrg2fdnp7h"}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(12,'local',1.79512661334480619432e+09,'root','POST /models','{}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(13,'local',1.79512661337085533148e+09,'root','POST /models/{model}/versions','{"model":"digits"}','done','127.0.0.1','kh9b94vh3pxk5');
INSERT INTO "audit" VALUES(14,'local',1.79512661338477468486e+09,'root','PUT /models/{model}/aliases/{alias}','{"model":"digits","alias":"best"}','done','127.0.0.1','kh9b94vh3pxk5');
CREATE TABLE commands (
	seq INTEGER NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	type VARCHAR(16) NOT NULL, 
	data JSON NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	created DOUBLE NOT NULL, 
	sent_at DOUBLE NOT NULL, 
	sent_generation BIGINT NOT NULL, 
	CONSTRAINT pk_commands PRIMARY KEY (seq), 
	CONSTRAINT fk_commands_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_commands_id UNIQUE (id)
);
INSERT INTO "commands" VALUES(1,'cacbud2vgp7fp','local','e4nzfqcwnwpyv','','','data','{"by":{"user":"local","name":"root","token":"kh9b94vh3pxk5"},"act":"scan","path":"/recorded/data","recheck":false,"scan":"rbt8dfvfwywhe"}','done',1.79512660943061232565e+09,1.7951266094422791004e+09,1);
INSERT INTO "commands" VALUES(2,'cfg797pc593uf','local','e4nzfqcwnwpyv','','','data','{"act":"preview","tree":"0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185","scan":"rem46qh6sjxt2"}','done',1.79512660996380114556e+09,1.79512660999000811575e+09,1);
INSERT INTO "commands" VALUES(3,'cdax5rcsgvg4e','local','e4nzfqcwnwpyv','td4nrg2fdnp7h','az9wmkq75eyy8','submit','{"by":{"user":"local","name":"root","token":"kh9b94vh3pxk5"},"number":1,"task_json":{"version":1,"task":"td4nrg2fdnp7h","job":"j4xngkf59x4k9","name":"good","kind":"run","owner":"local","order":{"name":"good","command":"","argv":["python3","train.py","0"],"params":{"lr":0.1},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"trees":{"train":{"digest":"0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185","layout":"files","cache":""}},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1795126610.1993344}}','done',1.79512661022117805476e+09,1.79512661023572731022e+09,1);
INSERT INTO "commands" VALUES(4,'ckgknsy3sr9ry','local','e4nzfqcwnwpyv','ttnynpxkfpv7k','a8n8tykfeeu2u','submit','{"by":{"user":"local","name":"root","token":"kh9b94vh3pxk5"},"number":1,"task_json":{"version":1,"task":"ttnynpxkfpv7k","job":"jnh8bkhfmkhxz","name":"bad","kind":"run","owner":"local","order":{"name":"bad","command":"","argv":["python3","train.py","3"],"params":{},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1795126610.2951255}}','done',1.79512661029706192014e+09,1.79512661036636281012e+09,1);
INSERT INTO "commands" VALUES(5,'cufugyamq2usz','local','e4nzfqcwnwpyv','t7fr6trh6gyn2','aggdcp5zgvw4z','submit','{"by":{"user":"local","name":"root","token":"kh9b94vh3pxk5"},"number":1,"task_json":{"version":1,"task":"t7fr6trh6gyn2","job":"jbsz72rqc27x7","name":"small","kind":"build","owner":"local","order":{"name":"small","command":"","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":{"environment":{"requirements":["six==1.17.0"],"python":"","variables":{},"base":"","accelerator":"","system":[],"lock":"","inherit":false,"files":[],"commands":[],"test":"","labels":{"of":"landed"}},"runtime":"","base_digest":"","upgrade":false},"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":2,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75","preempted","node-lost","wall-time"],"pattern":"","lead_seconds":120,"max_attempts":5,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1795126610.3377795}}','done',1.79512661033967876435e+09,1.79512661036636281012e+09,1);
INSERT INTO "commands" VALUES(6,'cycaknjadkpyb','local','e4nzfqcwnwpyv','t4mpbppafrdfu','amhq3v7thc889','submit','{"number":1,"task_json":{"version":1,"task":"t4mpbppafrdfu","job":"jf9u5hgxvzwcj","name":"search 0","kind":"trial","owner":"local","order":{"name":"search 0","command":"LR=0.01 python3 train.py 0","argv":[],"params":{"lr":0.01},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1795126610.9532392}}','done',1.7951266109556849003e+09,1.79512661102885961528e+09,1);
INSERT INTO "commands" VALUES(7,'c8xpa7ue64xmf','local','e4nzfqcwnwpyv','t4z5f4s37gw5w','a8f55a8x7nd9n','submit','{"number":1,"task_json":{"version":1,"task":"t4z5f4s37gw5w","job":"jyd944pq9rau7","name":"search 1","kind":"trial","owner":"local","order":{"name":"search 1","command":"LR=0.1 python3 train.py 0","argv":[],"params":{"lr":0.1},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1795126610.9651515}}','done',1.79512661096669363979e+09,1.79512661102885961528e+09,1);
INSERT INTO "commands" VALUES(8,'cu77erumjqsw2','local','e4nzfqcwnwpyv','tad24gj4wq2th','akk42gc5heb62','submit','{"number":1,"task_json":{"version":1,"task":"tad24gj4wq2th","job":"jespwmksw5yg9","name":"flow.prepare","kind":"run","owner":"local","order":{"name":"flow.prepare","command":"mkdir out && echo 4 > out/n","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1795126610.9970548}}','done',1.79512661099832630156e+09,1.79512661102885961528e+09,1);
INSERT INTO "commands" VALUES(9,'cyjgy63bfmn3q','local','e4nzfqcwnwpyv','','','data','{"by":{"user":"local","name":"root","token":"kh9b94vh3pxk5"},"act":"scan","path":"/recorded/agent-work/tasks/td4nrg2fdnp7h/run/model.txt","recheck":false,"scan":"rfcgwz2xt82yz"}','done',1.79512661280514192576e+09,1.79512661281173682217e+09,1);
INSERT INTO "commands" VALUES(10,'ccpbujza4d5d3','local','e4nzfqcwnwpyv','','','data','{"act":"scan","path":"/recorded/agent-work/tasks/tad24gj4wq2th/run/out","recheck":false,"scan":"ramtm38pgqu3w"}','done',1.79512661305792927748e+09,1.79512661306436038018e+09,1);
INSERT INTO "commands" VALUES(11,'cr4wty2s796wd','local','e4nzfqcwnwpyv','t38cmw3nj26pm','am8p9hcagfk6h','submit','{"number":1,"task_json":{"version":1,"task":"t38cmw3nj26pm","job":"juy3jwnwsj6b5","name":"flow.train","kind":"run","owner":"local","order":{"name":"flow.train","command":"cat \"${DIAMOND_DATA}\"/prepare_made/n > model.txt","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":null,"data":{},"trees":{"prepare_made":{"digest":"f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68","layout":"files","cache":""}},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1795126613.2947433}}','done',1.79512661330550479885e+09,1795126613.33235,1);
INSERT INTO "commands" VALUES(12,'ctckjdp4d9zpn','local','e4nzfqcwnwpyv','','','data','{"by":{"user":"local","name":"root","token":"kh9b94vh3pxk5"},"act":"pin","tree":"dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02","pinned":true}','done',1.79512661337297296524e+09,1.79512661345063042643e+09,1);
INSERT INTO "commands" VALUES(13,'cbpgjy3jtafsy','local','e4nzfqcwnwpyv','','','data','{"by":{"user":"local","name":"root","token":"kh9b94vh3pxk5"},"act":"pin","tree":"dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02","pinned":true}','done',1.7951266133861217499e+09,1.79512661345063042643e+09,1);
INSERT INTO "commands" VALUES(14,'czvrjmhrexqbz','local','e4nzfqcwnwpyv','','','data','{"act":"scan","path":"/recorded/agent-work/tasks/t38cmw3nj26pm/run/model.txt","recheck":false,"scan":"rvws858ggknzc"}','done',1.79512661350317883493e+09,1.79512661355691099168e+09,1);
INSERT INTO "commands" VALUES(15,'ccyc84z94dqwj','local','e4nzfqcwnwpyv','','','data','{"act":"send","transfer":"x7um6hnsf6678","tree":"dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02","round":1,"through_service":true}','done',1.79512661372258400921e+09,1.79512661372661137576e+09,1);
INSERT INTO "commands" VALUES(16,'chhb3re3hm2gb','local','e4nzfqcwnwpyv','','','data','{"act":"pin","tree":"dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02","pinned":false}','done',1.7951266137705886364e+09,1.79512661383564448361e+09,1);
CREATE TABLE credentials (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE, scopes TEXT DEFAULT '' NOT NULL, used DOUBLE, maker VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_credentials PRIMARY KEY (id), 
	CONSTRAINT fk_credentials_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_credentials_hash UNIQUE (hash), 
	CONSTRAINT uq_credentials_owner_kind_name UNIQUE (owner, kind, name)
);
INSERT INTO "credentials" VALUES('kh9b94vh3pxk5','local','token','command line of vm:/recorded/home','81ac9b970b68a2fc04d94c3a8fd55f7e7833a18c06508d80f7e681bc1bc89836',1.79512660501627111433e+09,NULL,'',1.79512660640553951265e+09,'');
CREATE TABLE dataset_additions (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	dataset VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	source TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	is_new BOOLEAN NOT NULL, 
	created DOUBLE NOT NULL, asked JSON, 
	CONSTRAINT pk_dataset_additions PRIMARY KEY (id), 
	CONSTRAINT fk_dataset_additions_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_dataset_additions_dataset FOREIGN KEY(dataset) REFERENCES datasets (id)
);
INSERT INTO "dataset_additions" VALUES('rbt8dfvfwywhe','local','dc3hp6abd63dp','scan','e4nzfqcwnwpyv','laptop:/recorded/data',1,1,1.79512660943097448343e+09,NULL);
CREATE TABLE dataset_uses (
	dataset VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_dataset_uses PRIMARY KEY (dataset, n, task, name), 
	CONSTRAINT fk_dataset_uses_dataset FOREIGN KEY(dataset) REFERENCES datasets (id), 
	CONSTRAINT fk_dataset_uses_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_dataset_uses_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "dataset_uses" VALUES('dc3hp6abd63dp',1,'td4nrg2fdnp7h','train','local');
CREATE TABLE dataset_versions (
	dataset VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	tree VARCHAR(64) NOT NULL, 
	files BIGINT NOT NULL, 
	bytes BIGINT NOT NULL, 
	source TEXT NOT NULL, 
	created DOUBLE NOT NULL, origin JSON, 
	CONSTRAINT pk_dataset_versions PRIMARY KEY (dataset, n), 
	CONSTRAINT uq_dataset_versions_dataset_tree UNIQUE (dataset, tree), 
	CONSTRAINT fk_dataset_versions_dataset FOREIGN KEY(dataset) REFERENCES datasets (id), 
	CONSTRAINT fk_dataset_versions_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "dataset_versions" VALUES('dc3hp6abd63dp',1,'local','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185',1,12,'laptop:/recorded/data',1.79512660995583152767e+09,NULL);
CREATE TABLE datasets (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	description TEXT NOT NULL, 
	license TEXT NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	endpoints JSON, 
	layout VARCHAR(16) NOT NULL, 
	last INTEGER NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	CONSTRAINT pk_datasets PRIMARY KEY (id), 
	CONSTRAINT uq_datasets_owner_name UNIQUE (owner, name), 
	CONSTRAINT fk_datasets_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "datasets" VALUES('dc3hp6abd63dp','local','rows','two rows','','',NULL,'files',1,1.79512660942971444127e+09,1.79512660995617771148e+09);
CREATE TABLE deliveries (
	id INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	notification VARCHAR(64) NOT NULL, 
	channel VARCHAR(8) NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	tries INTEGER NOT NULL, 
	due DOUBLE NOT NULL, 
	error TEXT NOT NULL, 
	CONSTRAINT pk_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_deliveries_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_deliveries_notification FOREIGN KEY(notification) REFERENCES notifications (id)
);
CREATE TABLE dependencies (
	task VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	target VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	CONSTRAINT pk_dependencies PRIMARY KEY (task, kind, target), 
	CONSTRAINT fk_dependencies_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_dependencies_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "dependencies" VALUES('t38cmw3nj26pm','task','tad24gj4wq2th','local','met','the stage prepare',1.79512661329531574244e+09,1.79512661329531574244e+09);
CREATE TABLE device_codes (
	hash VARCHAR(64) NOT NULL, 
	user_code VARCHAR(16) NOT NULL, 
	owner VARCHAR(64), 
	state VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	address TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, maker VARCHAR(64) DEFAULT '' NOT NULL, redirect TEXT DEFAULT '' NOT NULL, word_hash VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_device_codes PRIMARY KEY (hash), 
	CONSTRAINT fk_device_codes_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_device_codes_user_code UNIQUE (user_code)
);
CREATE TABLE endpoints (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	carrier VARCHAR(8) NOT NULL, 
	ssh_host TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	since DOUBLE NOT NULL, 
	last_seen DOUBLE, 
	key_hash VARCHAR(64), 
	pairing_hash VARCHAR(64), 
	pairing_expires DOUBLE, 
	confirmed BOOLEAN NOT NULL, 
	generation BIGINT NOT NULL, 
	epoch VARCHAR(64) NOT NULL, 
	have BIGINT NOT NULL, 
	host TEXT NOT NULL, 
	user TEXT NOT NULL, 
	agent_version TEXT NOT NULL, 
	python TEXT NOT NULL, 
	stays VARCHAR(16) NOT NULL, 
	folders JSON NOT NULL, 
	cluster TEXT NOT NULL, 
	is_default BOOLEAN NOT NULL, 
	profile JSON NOT NULL, 
	corrections JSON NOT NULL, 
	retention JSON NOT NULL, 
	created DOUBLE NOT NULL, secrets JSON, policy JSON DEFAULT '{}' NOT NULL, protocol INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_endpoints PRIMARY KEY (id), 
	CONSTRAINT fk_endpoints_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_endpoints_key_hash UNIQUE (key_hash), 
	CONSTRAINT uq_endpoints_owner_name UNIQUE (owner, name), 
	CONSTRAINT uq_endpoints_pairing_hash UNIQUE (pairing_hash)
);
INSERT INTO "endpoints" VALUES('e4nzfqcwnwpyv','local','laptop','https','','online',1.79512660839104700089e+09,1.79512661343391084671e+09,'5338e7f84bc5325a4d450e0056cb3a88f1dcafce9b09a95b0b4e64ca58821f70',NULL,NULL,1,1,'xhg3u4ztkrryn',32,'vm','root','0.1.0','3.11.7','resident','{"keep":"/recorded/agent/keep","work":"/recorded/agent-work","tmp":"/recorded/agent/tmp"}','local@vm',1,'{"version":1,"probed_at":1795126609.3503826,"facts":{"scheduler":{"value":{"name":"local","version":"1","abilities":{"has_queue":false,"spans_nodes":false,"runs_on_this_node":true,"placement":[]}},"source":"this machine","at":1795126608.432461},"cluster":{"value":"local@vm","source":"this machine","at":1795126608.432461},"cores":{"value":2,"source":"this machine","at":1795126608.432461},"memory_mb":{"value":24105,"source":"this machine","at":1795126608.432461},"gpus":{"value":{},"source":"this machine","at":1795126608.432461},"flags":{"value":{},"source":"this machine","at":1795126608.432461},"free":{"value":{"local":{"nodes_idle":1,"nodes_total":1,"cpus_idle":2,"gpus_idle":0,"pending":0}},"source":"this machine","at":1795126608.432461},"folders":{"value":{"keep":{"path":"/recorded/agent/keep","type":"ext4","free_bytes":65707995136,"free_files":15677215,"quota_bytes":null,"quota_files":null,"purge_days":null},"work":{"path":"/recorded/agent-work","type":"ext4","free_bytes":65707995136,"free_files":15677215,"quota_bytes":null,"quota_files":null,"purge_days":null}},"source":"statvfs, quota","at":1795126608.43314},"runtimes":{"value":{"login":{"apptainer":"1.4.5","singularity":"1.4.5","charliecloud":"","podman":"4.3.1"},"compute":null},"source":"PATH","at":1795126608.536},"platform":{"value":"linux/amd64","source":"the login node","at":1795126608.5360355},"builders":{"value":{"login":{"runtimes":{"apptainer":{"version":"1.4.5","builds":true,"runs":true,"why":"one sandbox, copied after each step: overlays cannot be mounted here"},"singularity":{"version":"1.4.5","builds":true,"runs":true,"why":"one sandbox, copied after each step: overlays cannot be mounted here"},"charliecloud":{"version":"0.31","builds":true,"runs":true,"why":"ch-image''s own build cache"},"podman":{"version":"4.3.1","builds":true,"runs":true,"why":"one commit for each step"},"docker":{"version":"28.2.2","builds":false,"runs":false,"why":"its daemon does not answer you on this node"},"venv":{"version":"1","builds":true,"runs":true,"why":"no container: the machine''s own Python"}},"namespaces":true,"sub_ids":false,"fakeroot":true,"fuse":true,"overlay":{"work":true,"tmp":false},"tmp_free_bytes":0},"compute":null},"source":"tried on the login node","at":1795126609.3430352},"python":{"value":{"login":"3.11.7","compute":null},"source":"the agent","at":1795126609.343047},"internet":{"value":{"login":true,"compute":null},"source":"one connection to pip''s index","at":1795126609.3503802}}}','{}','{}',1.79512660642000555994e+09,'[]','{"egress":"all","lease_until":1797718607.112312,"require_signed":false,"community":false,"stands":false}',4);
CREATE TABLE events (
	owner VARCHAR(64) NOT NULL, 
	n BIGINT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	subject VARCHAR(64) NOT NULL, 
	data JSON NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (owner, n)
);
INSERT INTO "events" VALUES('local',1,'endpoint','e4nzfqcwnwpyv','{}',1.79512660642225193976e+09);
INSERT INTO "events" VALUES('local',2,'endpoint','e4nzfqcwnwpyv','{}',1.79512660708043909072e+09);
INSERT INTO "events" VALUES('local',3,'notification','n4kc6fdhekksh','{}',1.79512660708043909072e+09);
INSERT INTO "events" VALUES('local',4,'endpoint','e4nzfqcwnwpyv','{}',1.79512660713436770438e+09);
INSERT INTO "events" VALUES('local',5,'endpoint','e4nzfqcwnwpyv','{}',1.79512660839666056628e+09);
INSERT INTO "events" VALUES('local',6,'endpoint','e4nzfqcwnwpyv','{}',1.79512660840633773802e+09);
INSERT INTO "events" VALUES('local',7,'changed','data','{}',1.79512660844050216677e+09);
INSERT INTO "events" VALUES('local',8,'endpoint','e4nzfqcwnwpyv','{}',1.79512660936430716519e+09);
INSERT INTO "events" VALUES('local',9,'changed','data','{}',1.79512660943153405188e+09);
INSERT INTO "events" VALUES('local',10,'changed','data','{}',1.79512660995421147345e+09);
INSERT INTO "events" VALUES('local',11,'changed','data','{}',1.79512660996863102915e+09);
INSERT INTO "events" VALUES('local',12,'task','td4nrg2fdnp7h','{}',1.7951266102214632034e+09);
INSERT INTO "events" VALUES('local',13,'task','ttnynpxkfpv7k','{}',1.79512661029723501202e+09);
INSERT INTO "events" VALUES('local',14,'task','td4nrg2fdnp7h','{}',1.79512661031335949901e+09);
INSERT INTO "events" VALUES('local',15,'task','t7fr6trh6gyn2','{}',1.79512661033988690372e+09);
INSERT INTO "events" VALUES('local',16,'changed','data','{}',1.79512661038622927667e+09);
INSERT INTO "events" VALUES('local',17,'changed','studies','{}',1.79512661077737140655e+09);
INSERT INTO "events" VALUES('local',18,'task','ttnynpxkfpv7k','{}',1.79512661079441547388e+09);
INSERT INTO "events" VALUES('local',19,'task','t7fr6trh6gyn2','{}',1.79512661082644605636e+09);
INSERT INTO "events" VALUES('local',20,'task','td4nrg2fdnp7h','{}',1.79512661082644605636e+09);
INSERT INTO "events" VALUES('local',21,'task','ttnynpxkfpv7k','{}',1.79512661082644605636e+09);
INSERT INTO "events" VALUES('local',22,'changed','pipelines','{}',1.79512661086752057073e+09);
INSERT INTO "events" VALUES('local',23,'task','t4mpbppafrdfu','{}',1.79512661095590496059e+09);
INSERT INTO "events" VALUES('local',24,'task','t4z5f4s37gw5w','{}',1.79512661096688604352e+09);
INSERT INTO "events" VALUES('local',25,'changed','studies','{}',1.7951266109773840904e+09);
INSERT INTO "events" VALUES('local',26,'task','tad24gj4wq2th','{}',1.79512661099849867821e+09);
INSERT INTO "events" VALUES('local',27,'changed','pipelines','{}',1.79512661100717306134e+09);
INSERT INTO "events" VALUES('local',28,'task','t7fr6trh6gyn2','{}',1.79512661102213716508e+09);
INSERT INTO "events" VALUES('local',29,'task','td4nrg2fdnp7h','{}',1.79512661102213716508e+09);
INSERT INTO "events" VALUES('local',30,'task','ttnynpxkfpv7k','{}',1.79512661102213716508e+09);
INSERT INTO "events" VALUES('local',31,'task','ttnynpxkfpv7k','{}',1.79512661155256867404e+09);
INSERT INTO "events" VALUES('local',32,'task','t4mpbppafrdfu','{}',1.79512661158136796954e+09);
INSERT INTO "events" VALUES('local',33,'task','t4z5f4s37gw5w','{}',1.79512661158136796954e+09);
INSERT INTO "events" VALUES('local',34,'task','t7fr6trh6gyn2','{}',1.79512661158136796954e+09);
INSERT INTO "events" VALUES('local',35,'task','tad24gj4wq2th','{}',1.79512661158136796954e+09);
INSERT INTO "events" VALUES('local',36,'task','td4nrg2fdnp7h','{}',1.79512661158136796954e+09);
INSERT INTO "events" VALUES('local',37,'task','ttnynpxkfpv7k','{}',1.79512661158136796954e+09);
INSERT INTO "events" VALUES('local',38,'notification','nk27hvndpcybv','{}',1.79512661158136796954e+09);
INSERT INTO "events" VALUES('local',39,'image','imnmgx4h28x9f','{}',1.79512661233829545976e+09);
INSERT INTO "events" VALUES('local',40,'task','t7fr6trh6gyn2','{}',1.79512661237249875065e+09);
INSERT INTO "events" VALUES('local',41,'notification','nh3u3j2p6vcrn','{}',1.79512661237249875065e+09);
INSERT INTO "events" VALUES('local',42,'task','t4mpbppafrdfu','{}',1.79512661248161077501e+09);
INSERT INTO "events" VALUES('local',43,'changed','studies','{}',1.79512661249678587911e+09);
INSERT INTO "events" VALUES('local',44,'task','td4nrg2fdnp7h','{}',1.79512661258147335056e+09);
INSERT INTO "events" VALUES('local',45,'task','td4nrg2fdnp7h','{}',1.79512661278878569602e+09);
INSERT INTO "events" VALUES('local',46,'notification','n5ah5zp8dyv5b','{}',1.79512661278878569602e+09);
INSERT INTO "events" VALUES('local',47,'task','td4nrg2fdnp7h','{}',1.79512661279964184759e+09);
INSERT INTO "events" VALUES('local',48,'changed','data','{}',1.79512661303201103207e+09);
INSERT INTO "events" VALUES('local',49,'task','td4nrg2fdnp7h','{}',1.79512661303373026846e+09);
INSERT INTO "events" VALUES('local',50,'task','t4mpbppafrdfu','{}',1.7951266130430645943e+09);
INSERT INTO "events" VALUES('local',51,'task','t4z5f4s37gw5w','{}',1.7951266130570728779e+09);
INSERT INTO "events" VALUES('local',52,'task','tad24gj4wq2th','{}',1.7951266130570728779e+09);
INSERT INTO "events" VALUES('local',53,'changed','studies','{}',1.79512661312934112545e+09);
INSERT INTO "events" VALUES('local',54,'changed','data','{}',1.7951266132776601314e+09);
INSERT INTO "events" VALUES('local',55,'task','tad24gj4wq2th','{}',1.79512661327901315686e+09);
INSERT INTO "events" VALUES('local',56,'changed','pipelines','{}',1.79512661328821182256e+09);
INSERT INTO "events" VALUES('local',57,'task','t38cmw3nj26pm','{}',1.79512661330569267279e+09);
INSERT INTO "events" VALUES('local',58,'changed','pipelines','{}',1.7951266133069577217e+09);
INSERT INTO "events" VALUES('local',59,'changed','models','{}',1.7951266133447351456e+09);
INSERT INTO "events" VALUES('local',60,'changed','models','{}',1.79512661337044358246e+09);
INSERT INTO "events" VALUES('local',61,'changed','data','{}',1.79512661337477922437e+09);
INSERT INTO "events" VALUES('local',62,'changed','models','{}',1.79512661338472843172e+09);
INSERT INTO "events" VALUES('local',63,'changed','data','{}',1.7951266134651186466e+09);
INSERT INTO "events" VALUES('local',64,'changed','data','{}',1.79512661347208213801e+09);
INSERT INTO "events" VALUES('local',65,'task','t4z5f4s37gw5w','{}',1.79512661348624873161e+09);
INSERT INTO "events" VALUES('local',66,'task','t38cmw3nj26pm','{}',1.79512661350235414505e+09);
INSERT INTO "events" VALUES('local',67,'changed','studies','{}',1.79512661358637428286e+09);
INSERT INTO "events" VALUES('local',68,'changed','data','{}',1.79512661372298192976e+09);
INSERT INTO "events" VALUES('local',69,'changed','data','{}',1.79512661373479604724e+09);
INSERT INTO "events" VALUES('local',70,'task','t38cmw3nj26pm','{}',1.79512661373591756817e+09);
INSERT INTO "events" VALUES('local',71,'notification','n8pbfvnk5r2ne','{}',1.79512661374247527125e+09);
INSERT INTO "events" VALUES('local',72,'changed','pipelines','{}',1.79512661374247527125e+09);
INSERT INTO "events" VALUES('local',73,'changed','data','{}',1.79512661376850819585e+09);
INSERT INTO "events" VALUES('local',74,'changed','data','{}',1.79512661377183556561e+09);
INSERT INTO "events" VALUES('local',75,'changed','models','{}',1.79512661377183556561e+09);
INSERT INTO "events" VALUES('local',76,'changed','data','{}',1.79512661385225915904e+09);
CREATE TABLE facts (
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_facts PRIMARY KEY (name), 
	CONSTRAINT fk_facts_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "facts" VALUES('local','instance','dncurp4cuw5ae');
CREATE TABLE history (
	task VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	received DOUBLE NOT NULL, 
	type VARCHAR(32) NOT NULL, 
	message TEXT NOT NULL, 
	data JSON NOT NULL, 
	CONSTRAINT pk_history PRIMARY KEY (task, n), 
	CONSTRAINT fk_history_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_history_task FOREIGN KEY(task) REFERENCES tasks (id)
);
INSERT INTO "history" VALUES('td4nrg2fdnp7h',1,'local',1.79512661019933438301e+09,1.79512661019933438301e+09,'created','','{"attempt":"az9wmkq75eyy8","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('ttnynpxkfpv7k',1,'local',1.79512661029512548445e+09,1.79512661029512548445e+09,'created','','{"attempt":"a8n8tykfeeu2u","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('td4nrg2fdnp7h',2,'local',1.79512661030602335924e+09,1.7951266103075435162e+09,'staging','fetching 2 files','{"attempt":"az9wmkq75eyy8","what":"code"}');
INSERT INTO "history" VALUES('t7fr6trh6gyn2',1,'local',1.79512661033777952196e+09,1.79512661033777952196e+09,'created','','{"attempt":"aggdcp5zgvw4z","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('ttnynpxkfpv7k',2,'local',1.79512661079230761529e+09,1.79512661079355931282e+09,'submitted','','{"attempt":"a8n8tykfeeu2u","native_id":"660a87bf3943b-7f90f4","script":"sha256:7e70ce83c29266e7757acbb56e68c9bebb18b556f2281fef896faea26147c860"}');
INSERT INTO "history" VALUES('t7fr6trh6gyn2',2,'local',1795126610.64333,1.79512661080802750582e+09,'submitted','','{"attempt":"aggdcp5zgvw4z","native_id":"660a87bf40962-372718","script":"sha256:965ba692c458b969c0e82bcaaf558bad43d27a48bbe7c19dd9747b060ac775f0"}');
INSERT INTO "history" VALUES('td4nrg2fdnp7h',3,'local',1.79512661078419589999e+09,1.79512661080802750582e+09,'submitted','','{"attempt":"az9wmkq75eyy8","native_id":"660a87bf64a80-69a070","script":"sha256:4fe15dc2b8c9aaf5d7189f204fe8b3213bf838afa05f116c213b0ae58917f48a"}');
INSERT INTO "history" VALUES('ttnynpxkfpv7k',3,'local',1.7951266107762584686e+09,1.79512661080802750582e+09,'started','','{"attempt":"a8n8tykfeeu2u","run":1,"native_id":"660a87bf3943b-7f90f4","node":"vm"}');
INSERT INTO "history" VALUES('t4mpbppafrdfu',1,'local',1.79512661095323920248e+09,1.79512661095323920248e+09,'created','','{"attempt":"amhq3v7thc889","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('t4z5f4s37gw5w',1,'local',1.79512661096515154833e+09,1.79512661096515154833e+09,'created','','{"attempt":"a8f55a8x7nd9n","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('tad24gj4wq2th',1,'local',1.79512661099705481525e+09,1.79512661099705481525e+09,'created','','{"attempt":"akk42gc5heb62","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('t7fr6trh6gyn2',3,'local',1.79512661094921565059e+09,1.79512661102106881134e+09,'observed','next in line: waiting for 2 of the machine''s 2 cores','{"attempt":"aggdcp5zgvw4z","status":"queued","native_state":"PENDING","native_id":"660a87bf40962-372718","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('td4nrg2fdnp7h',4,'local',1.7951266109490356445e+09,1.79512661102106881134e+09,'observed','waiting for its turn: other local jobs are ahead','{"attempt":"az9wmkq75eyy8","status":"queued","native_state":"PENDING","native_id":"660a87bf64a80-69a070","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('ttnynpxkfpv7k',4,'local',1.79512661094915604593e+09,1.79512661102106881134e+09,'observed','','{"attempt":"a8n8tykfeeu2u","status":"running","native_state":"RUNNING","native_id":"660a87bf3943b-7f90f4","run":1,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('ttnynpxkfpv7k',5,'local',1.79512661094067978856e+09,1.79512661154745697977e+09,'exited','','{"attempt":"a8n8tykfeeu2u","run":1,"exit_code":3,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('t4mpbppafrdfu',2,'local',1.79512661112351918227e+09,1.79512661156866478915e+09,'submitted','','{"attempt":"amhq3v7thc889","native_id":"660a87bfb1a43-d6ad13","script":"sha256:58588a2d05352f58b69dbaa769471e20844a31b05583beadca46267662c4f600"}');
INSERT INTO "history" VALUES('t4mpbppafrdfu',3,'local',1.7951266113438029289e+09,1.79512661156866478915e+09,'observed','waiting for its turn: other local jobs are ahead','{"attempt":"amhq3v7thc889","status":"queued","native_state":"PENDING","native_id":"660a87bfb1a43-d6ad13","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('t4z5f4s37gw5w',2,'local',1.79512661113254690169e+09,1.79512661156866478915e+09,'submitted','','{"attempt":"a8f55a8x7nd9n","native_id":"660a87bfb797f-5823f8","script":"sha256:cd441d7b74ab1cd48e35b265707ae7becdd0ece850a3ac418fdf5b480b0a3692"}');
INSERT INTO "history" VALUES('t4z5f4s37gw5w',3,'local',1.7951266113438603878e+09,1.79512661156866478915e+09,'observed','waiting for its turn: other local jobs are ahead','{"attempt":"a8f55a8x7nd9n","status":"queued","native_state":"PENDING","native_id":"660a87bfb797f-5823f8","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('t7fr6trh6gyn2',4,'local',1.79512661119027519228e+09,1.79512661156866478915e+09,'started','','{"attempt":"aggdcp5zgvw4z","run":1,"native_id":"660a87bf40962-372718","node":"vm"}');
INSERT INTO "history" VALUES('t7fr6trh6gyn2',5,'local',1.79512661134374833108e+09,1.79512661156866478915e+09,'observed','','{"attempt":"aggdcp5zgvw4z","status":"running","native_state":"RUNNING","native_id":"660a87bf40962-372718","run":1,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tad24gj4wq2th',2,'local',1.79512661113975262642e+09,1.79512661156866478915e+09,'submitted','','{"attempt":"akk42gc5heb62","native_id":"660a87bfbb5c0-b7da19","script":"sha256:4c52b49745cbe35e025c675a1f79be3019b255c191a5b4d43626fb1dda0c8ec0"}');
INSERT INTO "history" VALUES('tad24gj4wq2th',3,'local',1.79512661134391093256e+09,1.79512661156866478915e+09,'observed','waiting for its turn: other local jobs are ahead','{"attempt":"akk42gc5heb62","status":"queued","native_state":"PENDING","native_id":"660a87bfbb5c0-b7da19","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('td4nrg2fdnp7h',5,'local',1.79512661134348821645e+09,1.79512661156866478915e+09,'observed','next in line: waiting for 1 of the machine''s 2 cores','{"attempt":"az9wmkq75eyy8","status":"queued","native_state":"PENDING","native_id":"660a87bf64a80-69a070","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('ttnynpxkfpv7k',6,'local',1.79512661134368515019e+09,1.79512661156866478915e+09,'observed','it ended with exit code 3','{"attempt":"a8n8tykfeeu2u","status":"ended","native_state":"FAILED","native_id":"660a87bf3943b-7f90f4","run":1,"reason":"exit-code","exit_code":3,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('t7fr6trh6gyn2',6,'local',1.79512661231632947916e+09,1795126612.36745,'exited','','{"attempt":"aggdcp5zgvw4z","run":1,"exit_code":0,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('t4mpbppafrdfu',4,'local',1.79512661247959852224e+09,1.79512661248070979117e+09,'started','','{"attempt":"amhq3v7thc889","run":1,"native_id":"660a87bfb1a43-d6ad13","node":"vm"}');
INSERT INTO "history" VALUES('td4nrg2fdnp7h',6,'local',1.79512661248031187054e+09,1.79512661258061242105e+09,'started','','{"attempt":"az9wmkq75eyy8","run":1,"native_id":"660a87bf64a80-69a070","node":"vm"}');
INSERT INTO "history" VALUES('td4nrg2fdnp7h',7,'local',1.79512661273279929162e+09,1.79512661278686261171e+09,'exited','','{"attempt":"az9wmkq75eyy8","run":1,"exit_code":0,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('t4mpbppafrdfu',5,'local',1.7951266127839641571e+09,1.79512661304179358488e+09,'exited','','{"attempt":"amhq3v7thc889","run":1,"exit_code":0,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('t4z5f4s37gw5w',4,'local',1.79512661295786070825e+09,1.79512661305182695385e+09,'started','','{"attempt":"a8f55a8x7nd9n","run":1,"native_id":"660a87bfb797f-5823f8","node":"vm"}');
INSERT INTO "history" VALUES('tad24gj4wq2th',4,'local',1.79512661301057505612e+09,1.79512661305182695385e+09,'started','','{"attempt":"akk42gc5heb62","run":1,"native_id":"660a87bfbb5c0-b7da19","node":"vm"}');
INSERT INTO "history" VALUES('tad24gj4wq2th',5,'local',1.79512661301063418386e+09,1.79512661305182695385e+09,'exited','','{"attempt":"akk42gc5heb62","run":1,"exit_code":0,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('t38cmw3nj26pm',1,'local',1.79512661329474329952e+09,1.79512661329474329952e+09,'created','','{"attempt":"am8p9hcagfk6h","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('t4z5f4s37gw5w',5,'local',1.79512661327416253088e+09,1.79512661348491406442e+09,'exited','','{"attempt":"a8f55a8x7nd9n","run":1,"exit_code":0,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('t38cmw3nj26pm',2,'local',1.79512661339651894568e+09,1.79512661350098371498e+09,'submitted','','{"attempt":"am8p9hcagfk6h","native_id":"660a87c1df8d8-05a078","script":"sha256:fb18c016cd7e4bc01d9e64ff3de46874d2ae6fc9726dac4109eaa4e0845cc27c"}');
INSERT INTO "history" VALUES('t38cmw3nj26pm',3,'local',1.79512661339712095267e+09,1.79512661350098371498e+09,'observed','','{"attempt":"am8p9hcagfk6h","status":"running","native_state":"RUNNING","native_id":"660a87c1df8d8-05a078","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('t38cmw3nj26pm',4,'local',1.79512661345558381079e+09,1.79512661350098371498e+09,'started','','{"attempt":"am8p9hcagfk6h","run":1,"native_id":"660a87c1df8d8-05a078","node":"vm"}');
INSERT INTO "history" VALUES('t38cmw3nj26pm',5,'local',1.79512661345564579961e+09,1.79512661350098371498e+09,'exited','','{"attempt":"am8p9hcagfk6h","run":1,"exit_code":0,"signal":null,"reason":""}');
CREATE TABLE idempotency (
	owner VARCHAR(64) NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	request VARCHAR(64) NOT NULL, 
	answer JSON, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_idempotency PRIMARY KEY (owner, "key"), 
	CONSTRAINT fk_idempotency_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "idempotency" VALUES('local','994e48bf7d2e0a69fc5e7f406355b766671800ccb2e688946f30cbf357bc1f09','e1fe760c8fdc82184cb7da4bcee018d42f6085e564edcd1ac970324c0203c1a2','{"id":"rbt8dfvfwywhe","dataset":"dc3hp6abd63dp","name":"rows","kind":"scan","endpoint":"laptop","source":"laptop:/recorded/data","state":"waiting","message":"","named":[],"bytes":0,"size":0,"files":0,"files_done":0,"rate":0.0,"seconds_left":null,"round":0,"version":"","digest":"","is_new":false,"created":1795126609.4309745,"updated":1795126609.4300897}',1.79512660942762899401e+09);
INSERT INTO "idempotency" VALUES('local','6e79c3c6c3c766521048d4a4c9050df766761856f719ca91479c039e15bde110','c73c1f3b5bba76797ca515e28bff07494df6def7c2107c2fbd08d12619bd43cd','{"job":{"id":"j4xngkf59x4k9","name":"good","created":1795126610.1953225,"owner":"local","project":"","spec":{"name":"good","run":["python3","train.py","0"],"notebook":"","params":{"lr":0.1},"code":null,"environment":null,"data":{"train":"rows@v1"},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304},"digest":"sha256:cc237aecdb773cfe14bd7c3f18b5736864879e7069958e64e85d5d46f7fff13a","tasks":["td4nrg2fdnp7h"]},"tasks":[{"id":"td4nrg2fdnp7h","job":"j4xngkf59x4k9","name":"good","kind":"run","owner":"local","owner_name":"","project":"","endpoint":"laptop","state":"preparing","phase":"","native_state":"","native_id":"","reason":"","message":"","exit_code":null,"signal":null,"as_of":1795126610.1993344,"created":1795126610.1993344,"updated":1795126610.1993344,"started":null,"ended":null,"node":"","attempt":"az9wmkq75eyy8","attempts":[{"id":"az9wmkq75eyy8","number":1,"native_id":"","run":0,"runs":[],"queued":null,"arrived":null,"started":null,"ended":null,"reason":"","ending":"","gap":null,"checkpoint":"","step":null}],"chain":{"asks":false,"may_resume":false,"follow_up":"","max_attempts":100,"allowed_attempts":4,"stalled":0,"checkpoint":"","step":null,"node_hours":0.0,"budget":null,"continues":"","words":""},"prediction":null,"happened":null,"retry_of":null,"order":{"name":"good","command":"","argv":["python3","train.py","0"],"params":{"lr":0.1},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"trees":{"train":{"digest":"0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185","layout":"files","cache":""}},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"digest":"sha256:cc237aecdb773cfe14bd7c3f18b5736864879e7069958e64e85d5d46f7fff13a","code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304},"cancel_requested":false,"version":1,"run_dir":"/recorded/agent-work/tasks/td4nrg2fdnp7h","cleaned":null,"archived":null,"final_metrics":null,"tags":[],"note":"","dependencies":[],"awaits":null}],"warnings":["`run` does not contain `{lr}`: the param lr only reaches programs that read $DIAMOND_PARAMS"]}',1.79512661019307732577e+09);
INSERT INTO "idempotency" VALUES('local','6fa928232cb2e3c53fb8118cb26c99ad87786618e1ac016e637522f5d60f847e','f13063fb0eefe4f6d86b359cb9693ff9523f8db228d0b4a21521815282a4e7c1','{"job":{"id":"jnh8bkhfmkhxz","name":"bad","created":1795126610.2946823,"owner":"local","project":"","spec":{"name":"bad","run":["python3","train.py","3"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304},"digest":"sha256:9edaff2951169afde3269babd19320a294aa03144dd44df3c98e0dc9766221b4","tasks":["ttnynpxkfpv7k"]},"tasks":[{"id":"ttnynpxkfpv7k","job":"jnh8bkhfmkhxz","name":"bad","kind":"run","owner":"local","owner_name":"","project":"","endpoint":"laptop","state":"preparing","phase":"","native_state":"","native_id":"","reason":"","message":"","exit_code":null,"signal":null,"as_of":1795126610.2951255,"created":1795126610.2951255,"updated":1795126610.2951255,"started":null,"ended":null,"node":"","attempt":"a8n8tykfeeu2u","attempts":[{"id":"a8n8tykfeeu2u","number":1,"native_id":"","run":0,"runs":[],"queued":null,"arrived":null,"started":null,"ended":null,"reason":"","ending":"","gap":null,"checkpoint":"","step":null}],"chain":{"asks":false,"may_resume":false,"follow_up":"","max_attempts":100,"allowed_attempts":4,"stalled":0,"checkpoint":"","step":null,"node_hours":0.0,"budget":null,"continues":"","words":""},"prediction":null,"happened":null,"retry_of":null,"order":{"name":"bad","command":"","argv":["python3","train.py","3"],"params":{},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"digest":"sha256:9edaff2951169afde3269babd19320a294aa03144dd44df3c98e0dc9766221b4","code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304},"cancel_requested":false,"version":1,"run_dir":"/recorded/agent-work/tasks/ttnynpxkfpv7k","cleaned":null,"archived":null,"final_metrics":null,"tags":[],"note":"","dependencies":[],"awaits":null}],"warnings":[]}',1.79512661029352760307e+09);
INSERT INTO "idempotency" VALUES('local','3184fb7a3cc5c3b3e7179fa03e8503f3344b4f6817e9bc1cbca68e62f4c473c0','3c18ef7da1606ef6e33d6040eb2804248041538abeeec68a4dd721db73892314','{"id":"h3jtbs8t2ts57","name":"search","owner":"local","project":"","state":"running","message":"","objectives":[{"name":"loss","direction":"minimize"}],"value":"best","space":[{"name":"lr","kind":"choice","low":0.0,"high":0.0,"log":false,"step":null,"choices":[0.1,0.01],"when":{}}],"sampler":"grid","pruner":{"name":"none","unit":"step","min":1.0,"max":100.0,"factor":3,"mode":"stop"},"trials":2,"asked":0,"parallel":4,"repeats":1,"seed":0,"budget":"","on":["laptop"],"counts":{"waiting":0,"running":0,"stopping":0,"paused":0,"complete":0,"pruned":0,"failed":0},"best":null,"front":[],"warnings":[],"node_hours":0.0,"node_hours_saved":0.0,"seconds_left":null,"created":1795126610.7758,"updated":1795126610.7758,"ended":null}',1.7951266104039173126e+09);
INSERT INTO "idempotency" VALUES('local','0ff0bec10a12ee13cf3c0394c708c806d32fb63932cb2764946d8afc442aa96b','32b731c9edfbd2b16edef241105d99179b08101261da4fff88ff184c34ed1eeb','{"id":"fyy7z93ujseux","owner":"local","name":"flow","project":"","state":"running","message":"","counts":{"waiting":2,"running":0,"done":0,"cached":0,"skipped":0,"failed":0,"stopped":0,"cancelled":0},"created":1795126610.8662264,"updated":1795126610.8662264,"ended":null,"spec":{"name":"flow","on":"laptop","pipeline":{"prepare":{"run":"mkdir out && echo 4 > out/n","outputs":{"made":"out"}},"train":{"run":"cat {prepare.made}/n > model.txt","outputs":{"model":"model.txt"}}}},"forced":[],"stages":[{"name":"prepare","parents":[],"is_mapped":false,"when":"","state":"waiting","is_critical":false,"steps":[{"n":0,"label":"","state":"waiting","message":"","item":{},"task":"","task_state":"","phase":"","endpoint":"","nodes":0,"cpus":0,"gpus":0,"tries":0,"queued":null,"started":null,"ended":null,"outputs":{"made":{"kind":"files","path":"out","digest":"","size":0,"files":0,"value":null}}}]},{"name":"train","parents":["prepare"],"is_mapped":false,"when":"","state":"waiting","is_critical":false,"steps":[{"n":0,"label":"","state":"waiting","message":"","item":{},"task":"","task_state":"","phase":"","endpoint":"","nodes":0,"cpus":0,"gpus":0,"tries":0,"queued":null,"started":null,"ended":null,"outputs":{"model":{"kind":"files","path":"model.txt","digest":"","size":0,"files":0,"value":null}}}]}],"warnings":[]}',1.79512661086384057995e+09);
CREATE TABLE identities (
	issuer VARCHAR(255) NOT NULL, 
	subject VARCHAR(255) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	provider VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	email TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	seen DOUBLE NOT NULL, 
	CONSTRAINT pk_identities PRIMARY KEY (issuer, subject), 
	CONSTRAINT fk_identities_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE "image_moves" (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	image VARCHAR(64), 
	endpoint VARCHAR(64) NOT NULL, 
	source VARCHAR(64), 
	reference TEXT NOT NULL, 
	name TEXT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	manifest JSON NOT NULL, 
	words TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	bytes BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	message TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, started DOUBLE, 
	CONSTRAINT pk_image_moves PRIMARY KEY (id), 
	CONSTRAINT fk_image_moves_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE image_uses (
	image VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_image_uses PRIMARY KEY (image, task), 
	CONSTRAINT fk_image_uses_image FOREIGN KEY(image) REFERENCES images (id), 
	CONSTRAINT fk_image_uses_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_image_uses_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE image_wishes (
	owner VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	"key" VARCHAR(80) NOT NULL, 
	build VARCHAR(64) NOT NULL, 
	image VARCHAR(64), 
	CONSTRAINT pk_image_wishes PRIMARY KEY (owner, endpoint, "key"), 
	CONSTRAINT fk_image_wishes_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_image_wishes_image FOREIGN KEY(image) REFERENCES images (id)
);
INSERT INTO "image_wishes" VALUES('local','e4nzfqcwnwpyv','sha256:ee71b1f7756c7eb28604a13f2e7098466669b1964c1ab40078d4b136739e3e56','t7fr6trh6gyn2','imnmgx4h28x9f');
CREATE TABLE images (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(100), 
	identity VARCHAR(80) NOT NULL, 
	platform VARCHAR(32) NOT NULL, 
	recipe JSON NOT NULL, 
	manifest JSON NOT NULL, 
	build VARCHAR(64), 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, accepted JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_images PRIMARY KEY (id), 
	CONSTRAINT fk_images_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_images_owner_identity UNIQUE (owner, identity), 
	CONSTRAINT uq_images_owner_name UNIQUE (owner, name)
);
INSERT INTO "images" VALUES('imnmgx4h28x9f','local','small','sha256:d7faec84c31026f45f96ec4af6c512fe7bf08c28fe61c8919f8e9f89f5aaa207','linux/amd64','{"environment":{"requirements":["six==1.17.0"],"labels":{"of":"landed"}},"base_digest":"python-3.11","lock":"six==1.17.0 \\\n    --hash=sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274\n","platform":"linux/amd64"}','{"identity":"sha256:d7faec84c31026f45f96ec4af6c512fe7bf08c28fe61c8919f8e9f89f5aaa207","format":"venv","runtime":"venv","sha256":"181cc886152ccd9de7462f3c4fed1487388b5af273873a81022876acca0a2f3e","size":65779,"platform":"linux/amd64","file":"/recorded/agent-work/images/venvs/d7faec84c31026f45f96ec4a","base":{"reference":"","digest":"python-3.11"},"python":"3.11.7","packages":{"system":{},"python":{"six":"1.17.0"}},"variables":{"VIRTUAL_ENV":"/recorded/agent-work/images/venvs/d7faec84c31026f45f96ec4a/venv"},"labels":{"of":"landed"},"path":["/recorded/agent-work/images/venvs/d7faec84c31026f45f96ec4a/venv/bin"],"built":{"at":1795126612.2409325,"seconds":0.406,"whole_seconds":0.406,"host":"vm","user":"root","build":"aggdcp5zgvw4z"},"stat":{},"native":"","shared":false,"arrived":false,"version":2}','t7fr6trh6gyn2',1.79512661233306312557e+09,1.79512661233306312557e+09,'{}');
CREATE TABLE imported_curves (
	run VARCHAR(64) NOT NULL, 
	name VARCHAR(250) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_imported_curves PRIMARY KEY (run, name), 
	CONSTRAINT fk_imported_curves_run FOREIGN KEY(run) REFERENCES imported_runs (id), 
	CONSTRAINT fk_imported_curves_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE imported_runs (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	source VARCHAR(16) NOT NULL, 
	"key" TEXT NOT NULL, 
	name TEXT NOT NULL, 
	experiment TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	tags JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	started DOUBLE, 
	ended DOUBLE, 
	facts JSON NOT NULL, 
	metrics BLOB NOT NULL, 
	digest VARCHAR(80) NOT NULL, 
	imported DOUBLE NOT NULL, 
	CONSTRAINT pk_imported_runs PRIMARY KEY (id), 
	CONSTRAINT uq_imported_runs_owner_source_key UNIQUE (owner, source, "key"), 
	CONSTRAINT fk_imported_runs_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE invitations (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	email TEXT NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, 
	used DOUBLE, 
	used_by VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_invitations PRIMARY KEY (id), 
	CONSTRAINT fk_invitations_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_invitations_hash UNIQUE (hash)
);
CREATE TABLE jobs (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	spec JSON NOT NULL, 
	code JSON, 
	digest VARCHAR(80) NOT NULL, 
	created DOUBLE NOT NULL, project VARCHAR(64) DEFAULT '' NOT NULL, assignment VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT fk_jobs_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "jobs" VALUES('j4xngkf59x4k9','local','good','{"name":"good","run":["python3","train.py","0"],"notebook":"","params":{"lr":0.1},"code":null,"environment":null,"data":{"train":"rows@v1"},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null}','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}','sha256:cc237aecdb773cfe14bd7c3f18b5736864879e7069958e64e85d5d46f7fff13a',1.79512661019532251353e+09,'','');
INSERT INTO "jobs" VALUES('jnh8bkhfmkhxz','local','bad','{"name":"bad","run":["python3","train.py","3"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null}','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}','sha256:9edaff2951169afde3269babd19320a294aa03144dd44df3c98e0dc9766221b4',1.79512661029468226434e+09,'','');
INSERT INTO "jobs" VALUES('jbsz72rqc27x7','local','small','{"name":"small","run":"build","notebook":"","params":{},"code":null,"environment":{"requirements":["six==1.17.0"],"labels":{"of":"landed"}},"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":2},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null}','null','sha256:aae28ea55dfd833f6051788dc916c6ddbaeb32a5f4e95d3d646a5c45c555f02c',1.79512661033755183221e+09,'','');
INSERT INTO "jobs" VALUES('jf9u5hgxvzwcj','local','search 0','{"name":"search 0","run":"LR={lr} python3 train.py 0","notebook":"","params":{"lr":0.01},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null}','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}','sha256:1cb083746d3b12608fa693f32cb93f30691e021c3e74c6bb0259ff3d1f79e4cc',1.79512661093998980525e+09,'','');
INSERT INTO "jobs" VALUES('jyd944pq9rau7','local','search 1','{"name":"search 1","run":"LR={lr} python3 train.py 0","notebook":"","params":{"lr":0.1},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null}','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}','sha256:d0957dc67d7b8c201e0101e64faba3d24827f98121aedc5166bdcec5fc88b068',1.79512661096455478667e+09,'','');
INSERT INTO "jobs" VALUES('jespwmksw5yg9','local','flow.prepare','{"name":"flow.prepare","run":"mkdir out && echo 4 > out/n","notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null}','null','sha256:ce125dfd47754393bb1d3cbaf42568dc68bd4f0d94331bd6061be2273fcfa667',1.79512661099677705766e+09,'','');
INSERT INTO "jobs" VALUES('juy3jwnwsj6b5','local','flow.train','{"name":"flow.train","run":"cat {prepare_made}/n > model.txt","notebook":"","params":{},"code":null,"environment":null,"data":{"prepare_made":{"dataset":"","tree":"sha256:f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68","file":"","layout":null,"cache":null}},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{},"study":null}','null','sha256:92b107b60c49d5d8b935ccaced7d8bcdc5925daaf4028257b4594820ac05d905',1.79512661329323530202e+09,'','');
CREATE TABLE limits (
	kind VARCHAR(16) NOT NULL, 
	subject VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	node_hours DOUBLE, 
	running_tasks INTEGER, 
	storage_bytes BIGINT, 
	updated DOUBLE NOT NULL, 
	CONSTRAINT pk_limits PRIMARY KEY (kind, subject), 
	CONSTRAINT fk_limits_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE lineage_edges (
	task VARCHAR(64) NOT NULL, 
	direction VARCHAR(4) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	digest VARCHAR(80) NOT NULL, 
	role VARCHAR(80) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_lineage_edges PRIMARY KEY (task, direction, kind, digest, role), 
	CONSTRAINT fk_lineage_edges_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_lineage_edges_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "lineage_edges" VALUES('td4nrg2fdnp7h','in','code','7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7','code','local');
INSERT INTO "lineage_edges" VALUES('td4nrg2fdnp7h','in','tree','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185','train','local');
INSERT INTO "lineage_edges" VALUES('ttnynpxkfpv7k','in','code','7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7','code','local');
INSERT INTO "lineage_edges" VALUES('t4mpbppafrdfu','in','code','7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7','code','local');
INSERT INTO "lineage_edges" VALUES('t4z5f4s37gw5w','in','code','7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7','code','local');
INSERT INTO "lineage_edges" VALUES('td4nrg2fdnp7h','out','tree','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02','weights','local');
INSERT INTO "lineage_edges" VALUES('tad24gj4wq2th','out','tree','f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68','made','local');
INSERT INTO "lineage_edges" VALUES('t38cmw3nj26pm','in','tree','f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68','prepare_made','local');
INSERT INTO "lineage_edges" VALUES('t38cmw3nj26pm','out','tree','23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d','model','local');
CREATE TABLE log_chunks (
	stream INTEGER NOT NULL, 
	start BIGINT NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	length INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_log_chunks PRIMARY KEY (stream, start), 
	CONSTRAINT fk_log_chunks_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_log_chunks_stream FOREIGN KEY(stream) REFERENCES log_streams (id)
);
INSERT INTO "log_chunks" VALUES(1,0,'local',8,X'747261696E65640A');
INSERT INTO "log_chunks" VALUES(4,0,'local',751,X'72756E74696D653A206E6F206261736520696D616765206973206E616D65642C20736F206E6F20636F6E7461696E6572206973206D6164650A66696E64696E672076657273696F6E7320666F72207369783D3D312E31372E30206F6E206C696E75782F616D6436340A696D616765207368613235363A643766616563383463333130323666343566393665633461663663353132666537626630386332386665363163383931396638653966383966356161613230370A726F7574653A206E6F20636F6E7461696E65723A2061207669727475616C20656E7669726F6E6D656E7420696E202F746D702F64722D6C31726C6C685F632F6167656E742F776F726B2F696D616765732F76656E76732F6437666165633834633331303236663435663936656334610A3D3D3E20626173653A2074686520656E64706F696E742773206F776E20507974686F6E2028696E20746865206361636865290A3D3D3E20707974686F6E3A207369783D3D312E31372E300A5573696E6720507974686F6E20332E31312E3720656E7669726F6E6D656E742061743A202F746D702F64722D6C31726C6C685F632F6167656E742F776F726B2F696D616765732F76656E76732F6437666165633834633331303236663435663936656334612F76656E760A5265736F6C7665642031207061636B61676520696E2035316D730A50726570617265642031207061636B61676520696E20336D730A496E7374616C6C65642031207061636B61676520696E20356D730A202B207369783D3D312E31372E300A3D3D3E207661726961626C65733A20504154480A3D3D3E207061636B3A206F6E652066696C650A696D616765203138316363383836313532636364396465373436326633633466656431343837333838623561663237333837336138313032323837366163636130613266336520696E202F746D702F64722D6C31726C6C685F632F6167656E742F776F726B2F696D616765732F76656E76732F6437666165633834633331303236663435663936656334610A');
INSERT INTO "log_chunks" VALUES(6,0,'local',4797,X'7B226576656E74223A2022706C616E222C20226964656E74697479223A20227368613235363A64376661656338346333313032366634356639366563346166366335313266653762663038633238666536316338393139663865396638396635616161323037222C202272756E74696D65223A202276656E76222C2022726F757465223A20226E6F20636F6E7461696E65723A2061207669727475616C20656E7669726F6E6D656E7420696E202F746D702F64722D6C31726C6C685F632F6167656E742F776F726B2F696D616765732F76656E76732F643766616563383463333130323666343566393665633461222C20227374657073223A205B7B226E616D65223A202262617365222C20227469746C65223A202274686520656E64706F696E742773206F776E20507974686F6E222C20226B6579223A20227368613235363A30323937636330373161386333626166353239316562353939626232343838623738643963613766353630336230373536373431343339643232383035636564227D2C207B226E616D65223A2022707974686F6E222C20227469746C65223A20227369783D3D312E31372E30222C20226B6579223A20227368613235363A63633666343633623365373833663334333463363631343932323034323838306364353439666635386563363432313534346566306338303663623735313063227D2C207B226E616D65223A20227661726961626C6573222C20227469746C65223A202250415448222C20226B6579223A20227368613235363A65356465346537626363346433623134386134303837393264343537633265633537376363626533646161346139393537653432323964623135373765303135227D2C207B226E616D65223A20227061636B222C20227469746C65223A20226F6E652066696C65222C20226B6579223A20227368613235363A31323863663737313336336565663830306366306233343537313034393039303861666438323366663563633534386531636661313135313762643366373332227D5D2C2022646566696E6974696F6E223A202223212F62696E2F73685C6E736574202D65755C6E6578706F7274206469616D6F6E645F626172653D31206469616D6F6E645F76656E763D5C22247B313A3F776865726520746F206D616B652069747D5C22206469616D6F6E645F736974653D5C22247B323A2D2E7D5C225C6E2F62696E2F7368202D6575203C3C27454E445F4F465F53544550275C6E2320707974686F6E3A207369783D3D312E31372E305C6E756D61736B203032325C6E6469616D6F6E645F736974653D247B6469616D6F6E645F736974653A2D2F6D6E747D5C6E6469616D6F6E645F76656E763D247B6469616D6F6E645F76656E763A2D2F6F70742F76656E767D5C6E504154483D24504154483A246469616D6F6E645F736974655C6E6578706F727420484F4D453D5C22247B484F4D453A2D2F726F6F747D5C225C6E5B2021202D72205C22246469616D6F6E645F736974652F736974652E656E765C22205D207C7C202E205C22246469616D6F6E645F736974652F736974652E656E765C225C6E6469616D6F6E645F75763D246469616D6F6E645F736974652F75765C6E6966205B2021202D78205C22246469616D6F6E645F75765C22205D3B207468656E5C6E20206469616D6F6E645F75763D2428636F6D6D616E64202D7620757629207C7C207B5C6E20202020707974686F6E33202D6D2076656E76202F746D702F6469616D6F6E642D75765C6E202020202F746D702F6469616D6F6E642D75762F62696E2F70697020696E7374616C6C202D2D71756965742075765C6E202020206469616D6F6E645F75763D2F746D702F6469616D6F6E642D75762F62696E2F75765C6E20207D5C6E66695C6E6578706F72742055565F505954484F4E5F444F574E4C4F4144533D247B55565F505954484F4E5F444F574E4C4F4144533A2D6E657665727D2055565F4C494E4B5F4D4F44453D247B55565F4C494E4B5F4D4F44453A2D636F70797D5C6E6966205B202D7A205C22247B6469616D6F6E645F626172653A2D7D5C22205D202626202120636F6D6D616E64202D7620707974686F6E33203E2F6465762F6E756C6C20323E26312026262021205C22246469616D6F6E645F75765C2220707974686F6E2066696E642033203E2F6465762F6E756C6C20323E26313B207468656E5C6E20206563686F205C226469616D6F6E643A20507974686F6E206973206E6F7420696E207468697320626173655C22203E26325C6E2020657869742036355C6E66695C6E5C22246469616D6F6E645F75765C222076656E76202D2D7175696574202D2D72656C6F63617461626C65202D2D616C6C6F772D6578697374696E6720205C22246469616D6F6E645F76656E765C225C6E6469616D6F6E645F6C6F636B3D24286D6B74656D70295C6E636174203E5C22246469616D6F6E645F6C6F636B5C22203C3C27454E445F4F465F54455854275C6E7369783D3D312E31372E30205C5C5C6E202020202D2D686173683D7368613235363A343732316633393165643930353431666464616361623561636639343761613064336463376432376232653165386564613262653839373035383663333237345C6E454E445F4F465F544558545C6E5C22246469616D6F6E645F75765C222070697020696E7374616C6C20247B5049505F4E4F5F494E4445583A2B2D2D6E6F2D696E6465787D202D2D707974686F6E205C22246469616D6F6E645F76656E762F62696E2F707974686F6E5C22202D2D726571756972652D686173686573202D2D726571756972656D656E74205C22246469616D6F6E645F6C6F636B5C225C6E726D202D66205C22246469616D6F6E645F6C6F636B5C225C6E66696E64205C22246469616D6F6E645F76656E765C222021202D74797065206C2021202D7065726D202D343434202D657865632063686D6F6420612B7258207B7D202B5C6E454E445F4F465F535445505C6E2F62696E2F7368202D6575203C3C27454E445F4F465F53544550275C6E23207661726961626C65733A20504154485C6E756D61736B203032325C6E6469616D6F6E645F736974653D247B6469616D6F6E645F736974653A2D2F6D6E747D5C6E6469616D6F6E645F76656E763D247B6469616D6F6E645F76656E763A2D2F6F70742F76656E767D5C6E504154483D24504154483A246469616D6F6E645F736974655C6E6578706F727420484F4D453D5C22247B484F4D453A2D2F726F6F747D5C225C6E5B2021202D72205C22246469616D6F6E645F736974652F736974652E656E765C22205D207C7C202E205C22246469616D6F6E645F736974652F736974652E656E765C225C6E5B202D7A205C22247B6469616D6F6E645F626172653A2D7D5C22205D207C7C206578697420305C6E6D6B646972202D70202F2E73696E67756C61726974792E642F656E765C6E636174203E2F2E73696E67756C61726974792E642F656E762F39312D6469616D6F6E642E7368203C3C27454E445F4F465F54455854275C6E6578706F7274205649525455414C5F454E563D2F6F70742F76656E7620504154483D5C222F6F70742F76656E762F62696E3A247B504154483A2D2F7573722F6C6F63616C2F7362696E3A2F7573722F6C6F63616C2F62696E3A2F7573722F7362696E3A2F7573722F62696E3A2F7362696E3A2F62696E7D5C225C6E454E445F4F465F544558545C6E5B202D65202F2E73696E67756C61726974792E642F656E762F39392D626173652E7368205D207C7C203A203E2F2E73696E67756C61726974792E642F656E762F39392D626173652E73685C6E6D6B646972202D70202F63685C6E636174203E3E2F63682F656E7669726F6E6D656E74203C3C27454E445F4F465F54455854275C6E5649525455414C5F454E563D2F6F70742F76656E765C6E454E445F4F465F544558545C6E454E445F4F465F535445505C6E227D0A7B226576656E74223A2022636163686564222C202273746570223A202262617365222C20226174223A20313739353132363631312E3837303733332C20226C6F675F66726F6D223A203239352C20226C6F675F746F223A203334367D0A7B226576656E74223A202273746172746564222C202273746570223A2022707974686F6E222C20226174223A20313739353132363631312E383730393838382C20226C6F675F66726F6D223A203334367D0A7B226576656E74223A2022656E646564222C202273746570223A2022707974686F6E222C20226174223A20313739353132363631322E3232393935362C2022657869745F636F6465223A20302C20227365636F6E6473223A20302E3335392C20226C6F675F66726F6D223A203334362C20226C6F675F746F223A203537327D0A7B226576656E74223A202273746172746564222C202273746570223A20227661726961626C6573222C20226174223A20313739353132363631322E323330323533322C20226C6F675F66726F6D223A203537327D0A7B226576656E74223A2022656E646564222C202273746570223A20227661726961626C6573222C20226174223A20313739353132363631322E3233343535342C2022657869745F636F6465223A20302C20227365636F6E6473223A20302E3030342C20226C6F675F66726F6D223A203537322C20226C6F675F746F223A203539327D0A7B226576656E74223A202273746172746564222C202273746570223A20227061636B222C20226174223A20313739353132363631322E3233343631372C20226C6F675F66726F6D223A203539327D0A7B226576656E74223A2022656E646564222C202273746570223A20227061636B222C20226174223A20313739353132363631322E3234303839312C2022657869745F636F6465223A20302C20227365636F6E6473223A20302E3030362C20226C6F675F66726F6D223A203539322C20226C6F675F746F223A203631317D0A7B226576656E74223A2022696D616765222C2022726575736564223A2066616C73652C20227265636F7264223A207B226964656E74697479223A20227368613235363A64376661656338346333313032366634356639366563346166366335313266653762663038633238666536316338393139663865396638396635616161323037222C2022666F726D6174223A202276656E76222C202272756E74696D65223A202276656E76222C2022736861323536223A202231383163633838363135326363643964653734363266336334666564313438373338386235616632373338373361383130323238373661636361306132663365222C202273697A65223A2036353737392C2022706C6174666F726D223A20226C696E75782F616D643634222C202266696C65223A20222F746D702F64722D6C31726C6C685F632F6167656E742F776F726B2F696D616765732F76656E76732F643766616563383463333130323666343566393665633461222C202262617365223A207B227265666572656E6365223A2022222C2022646967657374223A2022707974686F6E2D332E3131227D2C2022707974686F6E223A2022332E31312E37222C20227061636B61676573223A207B2273797374656D223A207B7D2C2022707974686F6E223A207B22736978223A2022312E31372E30227D7D2C20227661726961626C6573223A207B225649525455414C5F454E56223A20222F746D702F64722D6C31726C6C685F632F6167656E742F776F726B2F696D616765732F76656E76732F6437666165633834633331303236663435663936656334612F76656E76227D2C20226C6162656C73223A207B226F66223A20226C616E646564227D2C202270617468223A205B222F746D702F64722D6C31726C6C685F632F6167656E742F776F726B2F696D616765732F76656E76732F6437666165633834633331303236663435663936656334612F76656E762F62696E225D2C20226275696C74223A207B226174223A20313739353132363631322E323430393332352C20227365636F6E6473223A20302E3430362C202277686F6C655F7365636F6E6473223A20302E3430362C2022686F7374223A2022766D222C202275736572223A2022726F6F74222C20226275696C64223A2022616767646370357A677677347A227D2C202273746174223A207B7D2C20226E6174697665223A2022222C2022736861726564223A2066616C73652C202261727269766564223A2066616C73652C202276657273696F6E223A20327D2C2022726563697065223A207B22656E7669726F6E6D656E74223A207B22726571756972656D656E7473223A205B227369783D3D312E31372E30225D2C20226C6162656C73223A207B226F66223A20226C616E646564227D7D2C2022626173655F646967657374223A2022707974686F6E2D332E3131222C20226C6F636B223A20227369783D3D312E31372E30205C5C5C6E202020202D2D686173683D7368613235363A343732316633393165643930353431666464616361623561636639343761613064336463376432376232653165386564613262653839373035383663333237345C6E222C2022706C6174666F726D223A20226C696E75782F616D643634227D7D0A');
INSERT INTO "log_chunks" VALUES(9,0,'local',8,X'747261696E65640A');
INSERT INTO "log_chunks" VALUES(10,0,'local',8,X'747261696E65640A');
INSERT INTO "log_chunks" VALUES(15,0,'local',8,X'747261696E65640A');
CREATE TABLE log_streams (
	id INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	run INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	stream VARCHAR(16) NOT NULL, 
	size BIGINT NOT NULL, 
	partial BLOB NOT NULL, 
	bad_lines INTEGER NOT NULL, 
	CONSTRAINT pk_log_streams PRIMARY KEY (id), 
	CONSTRAINT fk_log_streams_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_log_streams_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT uq_log_streams_task_attempt_run_rank_stream UNIQUE (task, attempt, run, rank, stream)
);
INSERT INTO "log_streams" VALUES(1,'local','ttnynpxkfpv7k','a8n8tykfeeu2u',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(2,'local','ttnynpxkfpv7k','a8n8tykfeeu2u',1,0,'metrics',90,X'',0);
INSERT INTO "log_streams" VALUES(3,'local','ttnynpxkfpv7k','a8n8tykfeeu2u',1,0,'facts',76,X'',0);
INSERT INTO "log_streams" VALUES(4,'local','t7fr6trh6gyn2','aggdcp5zgvw4z',1,0,'stdout',751,X'',0);
INSERT INTO "log_streams" VALUES(5,'local','t7fr6trh6gyn2','aggdcp5zgvw4z',1,0,'facts',76,X'',0);
INSERT INTO "log_streams" VALUES(6,'local','t7fr6trh6gyn2','aggdcp5zgvw4z',1,0,'steps',4797,X'',0);
INSERT INTO "log_streams" VALUES(7,'local','t4mpbppafrdfu','amhq3v7thc889',1,0,'facts',76,X'',0);
INSERT INTO "log_streams" VALUES(8,'local','td4nrg2fdnp7h','az9wmkq75eyy8',1,0,'facts',173,X'',0);
INSERT INTO "log_streams" VALUES(9,'local','t4mpbppafrdfu','amhq3v7thc889',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(10,'local','td4nrg2fdnp7h','az9wmkq75eyy8',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(11,'local','td4nrg2fdnp7h','az9wmkq75eyy8',1,0,'metrics',90,X'',0);
INSERT INTO "log_streams" VALUES(12,'local','t4mpbppafrdfu','amhq3v7thc889',1,0,'metrics',90,X'',0);
INSERT INTO "log_streams" VALUES(13,'local','t4z5f4s37gw5w','a8f55a8x7nd9n',1,0,'facts',76,X'',0);
INSERT INTO "log_streams" VALUES(14,'local','tad24gj4wq2th','akk42gc5heb62',1,0,'facts',76,X'',0);
INSERT INTO "log_streams" VALUES(15,'local','t4z5f4s37gw5w','a8f55a8x7nd9n',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(16,'local','t4z5f4s37gw5w','a8f55a8x7nd9n',1,0,'metrics',90,X'',0);
INSERT INTO "log_streams" VALUES(17,'local','t38cmw3nj26pm','am8p9hcagfk6h',1,0,'facts',173,X'',0);
CREATE TABLE members (
	project VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (project, owner), 
	CONSTRAINT fk_members_project FOREIGN KEY(project) REFERENCES projects (id), 
	CONSTRAINT fk_members_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "members" VALUES('p7425jgwhj32p','local','manager',1.79512660941637253761e+09);
CREATE TABLE metric_chunks (
	series INTEGER NOT NULL, 
	start BIGINT NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	length INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_metric_chunks PRIMARY KEY (series, start), 
	CONSTRAINT fk_metric_chunks_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_metric_chunks_series FOREIGN KEY(series) REFERENCES metric_series (id)
);
INSERT INTO "metric_chunks" VALUES(1,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
INSERT INTO "metric_chunks" VALUES(2,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
INSERT INTO "metric_chunks" VALUES(3,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
INSERT INTO "metric_chunks" VALUES(4,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
CREATE TABLE metric_series (
	id INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	run INTEGER NOT NULL, 
	source VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	count BIGINT NOT NULL, 
	stride BIGINT NOT NULL, first_step DOUBLE, last DOUBLE, last_step DOUBLE, last_time DOUBLE, low DOUBLE, low_step DOUBLE, high DOUBLE, high_step DOUBLE, 
	CONSTRAINT pk_metric_series PRIMARY KEY (id), 
	CONSTRAINT fk_metric_series_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_metric_series_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT uq_metric_series_task_attempt_run_source_name UNIQUE (task, attempt, run, source, name)
);
INSERT INTO "metric_series" VALUES(1,'local','ttnynpxkfpv7k','a8n8tykfeeu2u',1,'metrics','loss',3,1,0.0,3.33333333333333314829e-01,2.0,NULL,3.33333333333333314829e-01,2.0,1.0,0.0);
INSERT INTO "metric_series" VALUES(2,'local','td4nrg2fdnp7h','az9wmkq75eyy8',1,'metrics','loss',3,1,0.0,3.33333333333333314829e-01,2.0,NULL,3.33333333333333314829e-01,2.0,1.0,0.0);
INSERT INTO "metric_series" VALUES(3,'local','t4mpbppafrdfu','amhq3v7thc889',1,'metrics','loss',3,1,0.0,3.33333333333333314829e-01,2.0,NULL,3.33333333333333314829e-01,2.0,1.0,0.0);
INSERT INTO "metric_series" VALUES(4,'local','t4z5f4s37gw5w','a8f55a8x7nd9n',1,'metrics','loss',3,1,0.0,3.33333333333333314829e-01,2.0,NULL,3.33333333333333314829e-01,2.0,1.0,0.0);
CREATE TABLE model_alias_moves (
	id INTEGER NOT NULL, 
	model VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	alias VARCHAR(40) NOT NULL, 
	"before" INTEGER, 
	version INTEGER, 
	moved_by VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_model_alias_moves PRIMARY KEY (id), 
	CONSTRAINT fk_model_alias_moves_model FOREIGN KEY(model) REFERENCES models (id), 
	CONSTRAINT fk_model_alias_moves_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "model_alias_moves" VALUES(1,'wqdbf49az499q','local','best',NULL,1,'local',1.79512661338398933413e+09);
CREATE TABLE model_aliases (
	model VARCHAR(64) NOT NULL, 
	alias VARCHAR(40) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	version INTEGER NOT NULL, 
	moved_by VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_model_aliases PRIMARY KEY (model, alias), 
	CONSTRAINT fk_model_aliases_model FOREIGN KEY(model) REFERENCES models (id), 
	CONSTRAINT fk_model_aliases_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "model_aliases" VALUES('wqdbf49az499q','best','local',1,'local',1.79512661338346123695e+09);
CREATE TABLE model_pushes (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	model VARCHAR(100) NOT NULL, 
	tree VARCHAR(64) NOT NULL, 
	source TEXT NOT NULL, 
	format VARCHAR(32) NOT NULL, 
	signature JSON NOT NULL, 
	note TEXT NOT NULL, 
	tags TEXT NOT NULL, 
	version INTEGER, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_model_pushes PRIMARY KEY (id), 
	CONSTRAINT fk_model_pushes_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE model_versions (
	model VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	tree VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	files INTEGER NOT NULL, 
	task VARCHAR(64), 
	result VARCHAR(100) NOT NULL, 
	format VARCHAR(32) NOT NULL, 
	signature JSON NOT NULL, 
	metrics JSON NOT NULL, 
	note TEXT NOT NULL, 
	tags TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	created_by VARCHAR(64) NOT NULL, curves JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_model_versions PRIMARY KEY (model, number), 
	CONSTRAINT fk_model_versions_model FOREIGN KEY(model) REFERENCES models (id), 
	CONSTRAINT fk_model_versions_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "model_versions" VALUES('wqdbf49az499q',1,'local','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02',1,1,'td4nrg2fdnp7h','weights','','{}','{"loss":0.3333333333333333}','a start','',1.79512661336779117586e+09,'local','{"loss":[[0.0,1.0],[1.0,0.5],[2.0,0.3333333333333333]]}');
CREATE TABLE models (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	description TEXT NOT NULL, 
	license VARCHAR(100) NOT NULL, 
	intended_use TEXT NOT NULL, 
	card TEXT NOT NULL, 
	tags TEXT NOT NULL, 
	newest INTEGER NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, kept_on VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_models PRIMARY KEY (id), 
	CONSTRAINT uq_models_owner_name UNIQUE (owner, name), 
	CONSTRAINT fk_models_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "models" VALUES('wqdbf49az499q','local','digits','reads digits','MIT','','','',1,1.79512661333998250956e+09,1.79512661338398933413e+09,'');
CREATE TABLE name_endings (
	owner VARCHAR(64) NOT NULL, 
	ending VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_name_endings PRIMARY KEY (owner, ending, name), 
	CONSTRAINT fk_name_endings_owner FOREIGN KEY(owner) REFERENCES users (id)
)
 WITHOUT ROWID

;
INSERT INTO "name_endings" VALUES('local',' 0','search 0');
INSERT INTO "name_endings" VALUES('local',' 1','search 1');
INSERT INTO "name_endings" VALUES('local','.prepare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','.train','flow.train');
INSERT INTO "name_endings" VALUES('local','0','search 0');
INSERT INTO "name_endings" VALUES('local','1','search 1');
INSERT INTO "name_endings" VALUES('local','ad','bad');
INSERT INTO "name_endings" VALUES('local','ain','flow.train');
INSERT INTO "name_endings" VALUES('local','all','small');
INSERT INTO "name_endings" VALUES('local','arch 0','search 0');
INSERT INTO "name_endings" VALUES('local','arch 1','search 1');
INSERT INTO "name_endings" VALUES('local','are','flow.prepare');
INSERT INTO "name_endings" VALUES('local','bad','bad');
INSERT INTO "name_endings" VALUES('local','ch 0','search 0');
INSERT INTO "name_endings" VALUES('local','ch 1','search 1');
INSERT INTO "name_endings" VALUES('local','d','bad');
INSERT INTO "name_endings" VALUES('local','d','good');
INSERT INTO "name_endings" VALUES('local','e','flow.prepare');
INSERT INTO "name_endings" VALUES('local','earch 0','search 0');
INSERT INTO "name_endings" VALUES('local','earch 1','search 1');
INSERT INTO "name_endings" VALUES('local','epare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','flow.prepare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','flow.train','flow.train');
INSERT INTO "name_endings" VALUES('local','good','good');
INSERT INTO "name_endings" VALUES('local','h 0','search 0');
INSERT INTO "name_endings" VALUES('local','h 1','search 1');
INSERT INTO "name_endings" VALUES('local','in','flow.train');
INSERT INTO "name_endings" VALUES('local','l','small');
INSERT INTO "name_endings" VALUES('local','ll','small');
INSERT INTO "name_endings" VALUES('local','low.prepare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','low.train','flow.train');
INSERT INTO "name_endings" VALUES('local','mall','small');
INSERT INTO "name_endings" VALUES('local','n','flow.train');
INSERT INTO "name_endings" VALUES('local','od','good');
INSERT INTO "name_endings" VALUES('local','ood','good');
INSERT INTO "name_endings" VALUES('local','ow.prepare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','ow.train','flow.train');
INSERT INTO "name_endings" VALUES('local','pare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','prepare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','rain','flow.train');
INSERT INTO "name_endings" VALUES('local','rch 0','search 0');
INSERT INTO "name_endings" VALUES('local','rch 1','search 1');
INSERT INTO "name_endings" VALUES('local','re','flow.prepare');
INSERT INTO "name_endings" VALUES('local','repare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','search 0','search 0');
INSERT INTO "name_endings" VALUES('local','search 1','search 1');
INSERT INTO "name_endings" VALUES('local','small','small');
INSERT INTO "name_endings" VALUES('local','train','flow.train');
INSERT INTO "name_endings" VALUES('local','w.prepare','flow.prepare');
INSERT INTO "name_endings" VALUES('local','w.train','flow.train');
CREATE TABLE notifications (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	"key" TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	endpoint TEXT NOT NULL, 
	in_page BOOLEAN NOT NULL, 
	at DOUBLE NOT NULL, 
	read DOUBLE, 
	CONSTRAINT pk_notifications PRIMARY KEY (id), 
	CONSTRAINT fk_notifications_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_notifications_owner_key UNIQUE (owner, "key")
);
INSERT INTO "notifications" VALUES('n4kc6fdhekksh','local','confirm:e4nzfqcwnwpyv:1795126607','confirm','root@vm wants to be your endpoint laptop','Confirm it if that is you: until then it can do nothing.','','laptop',1,1.79512660707578730577e+09,NULL);
INSERT INTO "notifications" VALUES('nk27hvndpcybv','local','ttnynpxkfpv7k:ended','failed','bad failed on laptop: the program ended with an error','It ended with exit code 3. It ran for 1 s.','ttnynpxkfpv7k','laptop',1,1.79512661158118462566e+09,NULL);
INSERT INTO "notifications" VALUES('nh3u3j2p6vcrn','local','t7fr6trh6gyn2:ended','succeeded','small succeeded on laptop','It ran for 1 s.','t7fr6trh6gyn2','laptop',1,1.79512661237233185768e+09,NULL);
INSERT INTO "notifications" VALUES('n5ah5zp8dyv5b','local','td4nrg2fdnp7h:ended','succeeded','good succeeded on laptop','It ran for 0 s.','td4nrg2fdnp7h','laptop',1,1.79512661278864598269e+09,NULL);
INSERT INTO "notifications" VALUES('n8pbfvnk5r2ne','local','pipeline:fyy7z93ujseux:4','succeeded','The pipeline flow succeeded','All stages are done.','','',1,1.79512661374232459065e+09,NULL);
CREATE TABLE partition_hours (
	endpoint VARCHAR(64) NOT NULL, 
	partition VARCHAR(200) NOT NULL, 
	hour INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	samples INTEGER NOT NULL, 
	busy DOUBLE NOT NULL, 
	pending DOUBLE NOT NULL, 
	CONSTRAINT pk_partition_hours PRIMARY KEY (endpoint, partition, hour), 
	CONSTRAINT fk_partition_hours_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "partition_hours" VALUES('e4nzfqcwnwpyv','local',498646,'local',1,0.0,0.0);
CREATE TABLE pipeline_steps (
	pipeline VARCHAR(64) NOT NULL, 
	stage VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	item JSON NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	tries INTEGER NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	outputs JSON NOT NULL, 
	started DOUBLE, 
	ended DOUBLE, 
	CONSTRAINT pk_pipeline_steps PRIMARY KEY (pipeline, stage, n), 
	CONSTRAINT fk_pipeline_steps_pipeline FOREIGN KEY(pipeline) REFERENCES pipelines (id), 
	CONSTRAINT fk_pipeline_steps_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "pipeline_steps" VALUES('fyy7z93ujseux','prepare',0,'local','done','','{}','tad24gj4wq2th',1,'c3a49c3b8b2425ba125a2952a9b69a24b3ddf044dc039e44aa13699d48c2249c','{"made":{"tree":"f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68","file":"","size":2,"files":1,"value":null}}',1.79512661099026131624e+09,1.79512661301063418386e+09);
INSERT INTO "pipeline_steps" VALUES('fyy7z93ujseux','train',0,'local','done','','{}','t38cmw3nj26pm',1,'68bcb92d16761c31b9631fb2bef65c18afc0d4591c0ee26c485fc1d37ab15e24','{"model":{"tree":"23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d","file":"model.txt","size":2,"files":1,"value":null}}',1.79512661329133772847e+09,1.79512661345564579961e+09);
CREATE TABLE pipelines (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	spec JSON NOT NULL, 
	code JSON, 
	spec_file TEXT NOT NULL, 
	forced JSON NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	ended DOUBLE, 
	version INTEGER NOT NULL, 
	CONSTRAINT pk_pipelines PRIMARY KEY (id), 
	CONSTRAINT fk_pipelines_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "pipelines" VALUES('fyy7z93ujseux','local','','flow','{"name":"flow","on":"laptop","pipeline":{"prepare":{"run":"mkdir out && echo 4 > out/n","outputs":{"made":"out"}},"train":{"run":"cat {prepare.made}/n > model.txt","outputs":{"model":"model.txt"}}}}','null','','[]','succeeded','',1.7951266108662264347e+09,1.79512661374173212048e+09,1.79512661374172043798e+09,5);
CREATE TABLE projects (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	archived DOUBLE, course JSON, endpoints JSON, 
	CONSTRAINT pk_projects PRIMARY KEY (id), 
	CONSTRAINT fk_projects_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_projects_owner_name UNIQUE (owner, name)
);
INSERT INTO "projects" VALUES('p7425jgwhj32p','local','vision','',1.79512660941441798204e+09,NULL,NULL,NULL);
CREATE TABLE record_entries (
	task VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	line TEXT NOT NULL, 
	hash VARCHAR(80) NOT NULL, 
	sealed TEXT NOT NULL, 
	CONSTRAINT pk_record_entries PRIMARY KEY (task, n), 
	CONSTRAINT fk_record_entries_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "record_entries" VALUES('td4nrg2fdnp7h',1,'local',1.79512661019933438301e+09,'submitted','{"at":1795126610.1993344,"before":"","body":{"code":{"bytes":304,"commit":"","diff":"","files":2,"git_commit":"","is_dirty":false,"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"diamond":"0.1.0","digest":"sha256:cc237aecdb773cfe14bd7c3f18b5736864879e7069958e64e85d5d46f7fff13a","inputs":[{"name":"train","tree":"0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185","version":"rows@v1"}],"is_rebuilt":false,"job":"j4xngkf59x4k9","kind":"run","name":"good","order":{"argv":["python3","train.py","0"],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"good","params":{"lr":0.1},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":"[place]","pattern":""},"secrets":[],"trees":{"train":{"cache":"","digest":"0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185","layout":"files"}}},"params":{"lr":0.1},"plan":null,"retry_of":"","seeds":{},"spec":{"data":{"train":"rows@v1"},"name":"good","on":"[place]","params":{"lr":0.1},"resources":{"walltime":"5m"},"run":["python3","train.py","0"]},"task":"td4nrg2fdnp7h"},"kind":"submitted","n":1,"sealed":{"endpoint":"sha256:097302a5fcc849bcbc8addf6c7e61b8a024b027a60543d7c4faa08dbb3c95a34","order":"sha256:6a04605003b2f4c4f5f3a3b7d09db4ef57c80eb60f860ace1f5d93abcd82438b","spec":"sha256:09c090c1d083cc497ee9b4796c94c90807ceb1a7ba0f0eacab292bbd075f476a","who":"sha256:58116892b3b2307d1e261cc5ed7031875c23db8ef231e1d7db8c0db825617130"}}','sha256:afdaa662652926a5ef8e225ab17033fabe610b88f4421b429dd1d131fb7712b5','{"endpoint":["3567aed3c9c0face6d05a834a0242373",{"id":"e4nzfqcwnwpyv","name":"laptop"}],"order":["6433340119816146288e6326c06de0a6",{"argv":["python3","train.py","0"],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"good","params":{"lr":0.1},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":["exit-75"],"pattern":""},"secrets":[],"trees":{"train":{"cache":"","digest":"0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185","layout":"files"}}}],"spec":["f98fc4e92503db0698cf591129b2fd1c",{"data":{"train":"rows@v1"},"name":"good","on":"laptop","params":{"lr":0.1},"resources":{"walltime":"5m"},"run":["python3","train.py","0"]}],"who":["81e0ce2e6f5beeafd4093c4f6e96a2c2","local"]}');
INSERT INTO "record_entries" VALUES('ttnynpxkfpv7k',1,'local',1.79512661029512548445e+09,'submitted','{"at":1795126610.2951255,"before":"","body":{"code":{"bytes":304,"commit":"","diff":"","files":2,"git_commit":"","is_dirty":false,"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"diamond":"0.1.0","digest":"sha256:9edaff2951169afde3269babd19320a294aa03144dd44df3c98e0dc9766221b4","inputs":[],"is_rebuilt":false,"job":"jnh8bkhfmkhxz","kind":"run","name":"bad","order":{"argv":["python3","train.py","3"],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"bad","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":"[place]","pattern":""},"secrets":[]},"params":{},"plan":null,"retry_of":"","seeds":{},"spec":{"name":"bad","on":"[place]","resources":{"walltime":"5m"},"run":["python3","train.py","3"]},"task":"ttnynpxkfpv7k"},"kind":"submitted","n":1,"sealed":{"endpoint":"sha256:d7d035a9ea03a203174e897f274561505d92536e949367da662710b904aab553","order":"sha256:dd42bc9bd1195a8e055ea4a72f4ebb40bb0f3e0d59ca5daff56f0824c874fef3","spec":"sha256:5124ffd55d0595a8de7c3d9f60107d3a6989cece3517d4fa839538faf12f3e53","who":"sha256:eecbe7db1c676533c8d5790020dc54d97a6d9445ea340161e464140ba2f1a040"}}','sha256:5e7b53d4950ac5435cbc920bb0bea5828bbfa702a999dd7efc516e03300e8aca','{"endpoint":["97f86ffe2d7928ec4ab6016584ffbd31",{"id":"e4nzfqcwnwpyv","name":"laptop"}],"order":["d577e0394fa1c351ec96f02ce98051fe",{"argv":["python3","train.py","3"],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"bad","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":["exit-75"],"pattern":""},"secrets":[]}],"spec":["279fb3eccac3fd6b85de7d8a5433b94e",{"name":"bad","on":"laptop","resources":{"walltime":"5m"},"run":["python3","train.py","3"]}],"who":["f3a96f5b573d43cc15795b27e9f9a599","local"]}');
INSERT INTO "record_entries" VALUES('t7fr6trh6gyn2',1,'local',1.79512661033777952196e+09,'submitted','{"at":1795126610.3377795,"before":"","body":{"code":null,"diamond":"0.1.0","digest":"sha256:aae28ea55dfd833f6051788dc916c6ddbaeb32a5f4e95d3d646a5c45c555f02c","inputs":[],"is_rebuilt":false,"job":"jbsz72rqc27x7","kind":"build","name":"small","order":{"argv":[],"budget":"","build":{"base_digest":"","environment":{"accelerator":"","base":"","commands":[],"files":[],"inherit":false,"labels":{"of":"landed"},"lock":"","python":"","requirements":["six==1.17.0"],"system":[],"test":"","variables":{}},"runtime":"","upgrade":false},"code":null,"command":"","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"small","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":2,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":60},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":5,"on":"[place]","pattern":""},"secrets":[]},"params":{},"plan":null,"retry_of":"","seeds":{},"spec":{"account":"[place]","budget":null,"code":null,"constraint":"","continue":null,"data":{},"environment":{"labels":{"of":"landed"},"requirements":["six==1.17.0"]},"launch":"auto","name":"small","notebook":"","on":"[place]","options":{},"params":{},"partition":"","qos":"","reservation":"","resources":{"cpus_per_task":2,"gpu_type":"","gpus_per_node":0,"nodes":1},"run":"build","secrets":[],"study":null},"task":"t7fr6trh6gyn2"},"kind":"submitted","n":1,"sealed":{"endpoint":"sha256:cab2e7ba6fa7c84c77e680ae1d9551064e03c85ba2a1594dd4970d55838cb314","order":"sha256:788b9264102bafb4e43078d00e7e05b3de7eaa0999f436d2e338494fb96b4490","spec":"sha256:74c8b69faf574c1f904a60ce9eb7d947a37f28de4b1a8f69952b12ac6337c06e","who":"sha256:14677841f253e9719c89e1a08644fc8ea27b65c493f72467b01b5926af6ec3b7"}}','sha256:d4da45cc26203862e9db1da4b968c1619fbf72386ec7264af773da6efb852ce8','{"endpoint":["4884cb36e0fd0187bd394a9cbdfa7204",{"id":"e4nzfqcwnwpyv","name":"laptop"}],"order":["6be4e0ce8a617d56c4ee0b1d1c2263f4",{"argv":[],"budget":"","build":{"base_digest":"","environment":{"accelerator":"","base":"","commands":[],"files":[],"inherit":false,"labels":{"of":"landed"},"lock":"","python":"","requirements":["six==1.17.0"],"system":[],"test":"","variables":{}},"runtime":"","upgrade":false},"code":null,"command":"","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"small","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":2,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":60},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":5,"on":["exit-75","preempted","node-lost","wall-time"],"pattern":""},"secrets":[]}],"spec":["f088d198b58b156729cd438859e0009b",{"account":"auto","budget":null,"code":null,"constraint":"","continue":null,"data":{},"environment":{"labels":{"of":"landed"},"requirements":["six==1.17.0"]},"launch":"auto","name":"small","notebook":"","on":"laptop","options":{},"params":{},"partition":"","qos":"","reservation":"","resources":{"cpus_per_task":2,"gpu_type":"","gpus_per_node":0,"nodes":1},"run":"build","secrets":[],"study":null}],"who":["e26ad95fa9af7064e22ffc64df77895f","local"]}');
INSERT INTO "record_entries" VALUES('t4mpbppafrdfu',1,'local',1.79512661095323920248e+09,'submitted','{"at":1795126610.9532392,"before":"","body":{"code":{"bytes":304,"commit":"","diff":"","files":2,"git_commit":"","is_dirty":false,"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"diamond":"0.1.0","digest":"sha256:1cb083746d3b12608fa693f32cb93f30691e021c3e74c6bb0259ff3d1f79e4cc","inputs":[],"is_rebuilt":false,"job":"jf9u5hgxvzwcj","kind":"trial","name":"search 0","order":{"argv":[],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"LR=0.01 python3 train.py 0","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"search 0","params":{"lr":0.01},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":"[place]","pattern":""},"secrets":[]},"params":{"lr":0.01},"plan":null,"retry_of":"","seeds":{},"spec":{"name":"search 0","on":"[place]","params":{"lr":0.01},"resources":{"walltime":"5m"},"run":"LR={lr} python3 train.py 0"},"task":"t4mpbppafrdfu"},"kind":"submitted","n":1,"sealed":{"endpoint":"sha256:8e9c3c06ec91b65c295299388865f1bfa33d71a69902eb75922bea172168de74","order":"sha256:d8d287f279c74a950e76ac0b58698ca3cea14224bbd61c01e23d06a8f74f0052","spec":"sha256:e2fc19c45f3e7c945e4030f64e13fb68338f328afc9ba08cdb7bbc5849422e3b","who":"sha256:1abced757558d9d7e572d4c5504c3e05c36c318863ba138bff35fd690712be96"}}','sha256:4862b7081c59b5ec3f0b993c1eae685610f6a81d6c398f7433c32639a662c163','{"endpoint":["6de4e9cf63d96921b30c2c546d07a6f9",{"id":"e4nzfqcwnwpyv","name":"laptop"}],"order":["f833dc62c893729718fc10e3cf3acc2d",{"argv":[],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"LR=0.01 python3 train.py 0","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"search 0","params":{"lr":0.01},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":["exit-75"],"pattern":""},"secrets":[]}],"spec":["fa173afd610c140606727ec5bc3b01d1",{"name":"search 0","on":"laptop","params":{"lr":0.01},"resources":{"walltime":"5m"},"run":"LR={lr} python3 train.py 0"}],"who":["4302b6b30ad8432ff1f59b4ca0b7ef39","local"]}');
INSERT INTO "record_entries" VALUES('t4z5f4s37gw5w',1,'local',1.79512661096515154833e+09,'submitted','{"at":1795126610.9651515,"before":"","body":{"code":{"bytes":304,"commit":"","diff":"","files":2,"git_commit":"","is_dirty":false,"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"diamond":"0.1.0","digest":"sha256:d0957dc67d7b8c201e0101e64faba3d24827f98121aedc5166bdcec5fc88b068","inputs":[],"is_rebuilt":false,"job":"jyd944pq9rau7","kind":"trial","name":"search 1","order":{"argv":[],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"LR=0.1 python3 train.py 0","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"search 1","params":{"lr":0.1},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":"[place]","pattern":""},"secrets":[]},"params":{"lr":0.1},"plan":null,"retry_of":"","seeds":{},"spec":{"name":"search 1","on":"[place]","params":{"lr":0.1},"resources":{"walltime":"5m"},"run":"LR={lr} python3 train.py 0"},"task":"t4z5f4s37gw5w"},"kind":"submitted","n":1,"sealed":{"endpoint":"sha256:24b28f0e1d3420cb8f0650ad8a4bf8efdd58bff93fea178a56a20bbd7d4590f8","order":"sha256:06a4912254beaa0514ddcfe08f71c88b18b3220d6e67ca7cb7e07ade14a4ead8","spec":"sha256:6fd5653add5663a5fa3048d2457b72905ff72792e45e284d61f5d66b8aa513ec","who":"sha256:cfc70a6799f4a8b48ba9367723441782187da6b616d800245310fd88a4038685"}}','sha256:83f4832f0fa6ccbe3f449e2b05c852764a2c6907406b249e266c7d438388acac','{"endpoint":["1cdb0d775c29b25cdad66bcd3bb7c8ff",{"id":"e4nzfqcwnwpyv","name":"laptop"}],"order":["449b4b783fdd6b32ce680386956d6e10",{"argv":[],"budget":"","build":null,"code":{"git_commit":"","git_url":"","snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7"},"command":"LR=0.1 python3 train.py 0","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"search 1","params":{"lr":0.1},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":5},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":["exit-75"],"pattern":""},"secrets":[]}],"spec":["b1b6c3135c62dbdd284f1cf4700ff34a",{"name":"search 1","on":"laptop","params":{"lr":0.1},"resources":{"walltime":"5m"},"run":"LR={lr} python3 train.py 0"}],"who":["0bba04c573d4135c23f0287ca5e548eb","local"]}');
INSERT INTO "record_entries" VALUES('tad24gj4wq2th',1,'local',1.79512661099705481525e+09,'submitted','{"at":1795126610.9970548,"before":"","body":{"code":null,"diamond":"0.1.0","digest":"sha256:ce125dfd47754393bb1d3cbaf42568dc68bd4f0d94331bd6061be2273fcfa667","inputs":[],"is_rebuilt":false,"job":"jespwmksw5yg9","kind":"run","name":"flow.prepare","order":{"argv":[],"budget":"","build":null,"code":null,"command":"mkdir out && echo 4 > out/n","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"flow.prepare","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":60},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":"[place]","pattern":""},"secrets":[]},"params":{},"plan":null,"retry_of":"","seeds":{},"spec":{"name":"flow.prepare","on":"[place]","run":"mkdir out && echo 4 > out/n"},"task":"tad24gj4wq2th"},"kind":"submitted","n":1,"sealed":{"endpoint":"sha256:a4b4c61ddfe65bba3fe34a3a0c3722657c1c1efeca3f2a178eb404b3c62a2c57","order":"sha256:7aae8e0f77bc3f8671273c19b513e39d907fee278307fe8f7a90aca5f6972c41","spec":"sha256:41cc90ea528a76463dfbad1a7ec5d17bfd765648d2e3c63d1e4d09bd0ac71bbc","who":"sha256:bed24ff4612f82a68d793891ac740abb823714c4088688272ec1c60d40d46570"}}','sha256:301d23f08c36f44dc1d7b794c7f443416ae5373dd7f4582fdd33ae09c6ff29ef','{"endpoint":["6dd803a8a0b5b67d60b424344e5b0dce",{"id":"e4nzfqcwnwpyv","name":"laptop"}],"order":["8daff42613b7ae6edc4ac1d997384533",{"argv":[],"budget":"","build":null,"code":null,"command":"mkdir out && echo 4 > out/n","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"flow.prepare","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":60},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":["exit-75"],"pattern":""},"secrets":[]}],"spec":["35bba8baae2f86e89f073fa18ca1d971",{"name":"flow.prepare","on":"laptop","run":"mkdir out && echo 4 > out/n"}],"who":["b60be63d9884f10332fe56c334308d2e","local"]}');
INSERT INTO "record_entries" VALUES('ttnynpxkfpv7k',2,'local',1.79512661147422909737e+09,'facts','{"at":1795126611.474229,"before":"sha256:5e7b53d4950ac5435cbc920bb0bea5828bbfa702a999dd7efc516e03300e8aca","body":{"architecture":"","attempt":"a8n8tykfeeu2u","cores":0,"cpu":"AMD EPYC","cuda":"","driver":"","gpus":[],"inputs":{},"kernel":"6.18.44-fc-v657","libraries":{},"memory_mb":24105,"packages":"","python":"","run":1,"seeds":{},"settings":{},"system":""},"kind":"facts","n":2,"sealed":{"host":"sha256:15793a4f2ec5ad3cdad02f5c85330eefc19b92e8e310658cbd64b82229f9e730"}}','sha256:0b325a4bee6013cc19dfd555e89d395fd70a31d884d725931483bdb81394f728','{"host":["4a04e2a770a780e9519ea226499eb8ba","vm"]}');
INSERT INTO "record_entries" VALUES('t7fr6trh6gyn2',2,'local',1.79512661148529362674e+09,'facts','{"at":1795126611.4852936,"before":"sha256:d4da45cc26203862e9db1da4b968c1619fbf72386ec7264af773da6efb852ce8","body":{"architecture":"","attempt":"aggdcp5zgvw4z","cores":0,"cpu":"AMD EPYC","cuda":"","driver":"","gpus":[],"inputs":{},"kernel":"6.18.44-fc-v657","libraries":{},"memory_mb":24105,"packages":"","python":"","run":1,"seeds":{},"settings":{},"system":""},"kind":"facts","n":2,"sealed":{"host":"sha256:0c6daad7671636b3d5355f2ef64824eeb559fe73160eb9f5525a265ea2b67692"}}','sha256:db8107530249edb6d0d2067ebfa31ebff64d70f0114fb66ebe4a8f725adcba28','{"host":["62510a53259c4cdc7b3c93896b7d60e1","vm"]}');
INSERT INTO "record_entries" VALUES('ttnynpxkfpv7k',3,'local',1.79512661134368515019e+09,'attempt','{"at":1795126611.3436852,"before":"sha256:0b325a4bee6013cc19dfd555e89d395fd70a31d884d725931483bdb81394f728","body":{"attempt":"a8n8tykfeeu2u","ended":1795126611.3436852,"exit_code":3,"number":1,"queued":1795126610.7923076,"reason":"exit-code","runs":[{"ended":1795126610.9406798,"exit_code":3,"run":1,"started":1795126610.7762585}],"script":"sha256:7e70ce83c29266e7757acbb56e68c9bebb18b556f2281fef896faea26147c860","started":1795126610.7762585},"kind":"attempt","n":3,"sealed":{"native_id":"sha256:069e5c50250aa136068318ce382d70e44f011870d0c1c391970a8d8721144556","nodes":"sha256:6a71f3100f8d5ac9784c0b51924bef37c22b5fb622fd051f3dc59a963fce2187"}}','sha256:95dbd1447013bb19c1ed930381ad37be3e53e3226826b459422c98043f45867a','{"native_id":["90e6f428694c0bcebd8daf28b156503e","660a87bf3943b-7f90f4"],"nodes":["345065a90c3b3a871f52690e3181ec16",["vm"]]}');
INSERT INTO "record_entries" VALUES('ttnynpxkfpv7k',4,'local',1.79512661134368515019e+09,'ended','{"at":1795126611.3436852,"before":"sha256:95dbd1447013bb19c1ed930381ad37be3e53e3226826b459422c98043f45867a","body":{"attempts":1,"created":1795126610.2951255,"ended":1795126611.3436852,"exit_code":3,"node_hours":0.00015761852264404297,"plan":null,"reason":"exit-code","signal":null,"started":1795126610.7762585,"state":"failed"},"kind":"ended","n":4,"sealed":{"message":"sha256:b55df4de9344bc02dc20aacce27fc35049397aef84e237388e4297393a0d536b"}}','sha256:283378432b4dcabc837d179c6adaff7a0c9f9184c4ac8274cf8f3b10314202f3','{"message":["b7b2456f5b6d0f8cc85c30856818e1dc","it ended with exit code 3"]}');
INSERT INTO "record_entries" VALUES('ttnynpxkfpv7k',5,'local',1.79512661158261179923e+09,'metrics','{"at":1795126611.5826118,"before":"sha256:283378432b4dcabc837d179c6adaff7a0c9f9184c4ac8274cf8f3b10314202f3","body":{"energy_joules":null,"values":{"loss":{"last":0.3333333333333333,"max":1.0,"min":0.3333333333333333,"step":2.0}}},"kind":"metrics","n":5}','sha256:1231ed1c7e62773bed59e8922d3f5ef08b789954ac8420bd1480316141b027ca','');
INSERT INTO "record_entries" VALUES('t7fr6trh6gyn2',3,'local',1.79512661231632947916e+09,'attempt','{"at":1795126612.3163295,"before":"sha256:db8107530249edb6d0d2067ebfa31ebff64d70f0114fb66ebe4a8f725adcba28","body":{"attempt":"aggdcp5zgvw4z","ended":1795126612.3163295,"exit_code":0,"number":1,"queued":1795126610.64333,"reason":"","runs":[{"ended":1795126612.3163295,"exit_code":0,"run":1,"started":1795126611.1902752}],"script":"sha256:965ba692c458b969c0e82bcaaf558bad43d27a48bbe7c19dd9747b060ac775f0","started":1795126611.1902752},"kind":"attempt","n":3,"sealed":{"native_id":"sha256:beeb7bb027f0444bce2a759ba474b7652e6bcaa01b2d4854c342c8f213234d07","nodes":"sha256:2ff5c3693bd8414bc48668388dbb0a3e7ec5a6fc61762aaaa8bf019267ac02f5"}}','sha256:9192b7398f5c74c18cb0aa6aef7099768596a6a410c0c80c8db1cda72ee08cc0','{"native_id":["d1f3a0d664c051e61fd46eef2eb590de","660a87bf40962-372718"],"nodes":["de70a02ba98d0318c24de44bb7594eec",["vm"]]}');
INSERT INTO "record_entries" VALUES('t7fr6trh6gyn2',4,'local',1.79512661231632947916e+09,'ended','{"at":1795126612.3163295,"before":"sha256:9192b7398f5c74c18cb0aa6aef7099768596a6a410c0c80c8db1cda72ee08cc0","body":{"attempts":1,"created":1795126610.3377795,"ended":1795126612.3163295,"exit_code":0,"node_hours":0.0003127928574879964,"plan":null,"reason":"","signal":null,"started":1795126611.1902752,"state":"succeeded"},"kind":"ended","n":4}','sha256:1ead3af24c82c7abd4c0e332b7f9236da1e83fd5628ccb475c4b874d32d53297','');
INSERT INTO "record_entries" VALUES('t4mpbppafrdfu',2,'local',1.79512661255283093456e+09,'facts','{"at":1795126612.552831,"before":"sha256:4862b7081c59b5ec3f0b993c1eae685610f6a81d6c398f7433c32639a662c163","body":{"architecture":"","attempt":"amhq3v7thc889","cores":0,"cpu":"AMD EPYC","cuda":"","driver":"","gpus":[],"inputs":{},"kernel":"6.18.44-fc-v657","libraries":{},"memory_mb":24105,"packages":"","python":"","run":1,"seeds":{},"settings":{},"system":""},"kind":"facts","n":2,"sealed":{"host":"sha256:66f33b45b2ac9570ebab4a64bb5c3927fee918a4c3ffc02bb11897ed777f0beb"}}','sha256:b0b4e0e7b08e5bb9aeaf49fc264ad8fc5016ac07e349360f05b9832be792cae8','{"host":["db4433d6ba5628d0087b01dd09a93572","vm"]}');
INSERT INTO "record_entries" VALUES('td4nrg2fdnp7h',2,'local',1.79512661255386567118e+09,'facts','{"at":1795126612.5538657,"before":"sha256:afdaa662652926a5ef8e225ab17033fabe610b88f4421b429dd1d131fb7712b5","body":{"architecture":"","attempt":"az9wmkq75eyy8","cores":0,"cpu":"AMD EPYC","cuda":"","driver":"","gpus":[],"inputs":{},"kernel":"6.18.44-fc-v657","libraries":{},"memory_mb":24105,"packages":"","python":"","run":1,"seeds":{},"settings":{},"system":""},"kind":"facts","n":2,"sealed":{"host":"sha256:7e193c0f066ff14fb4e7c36ecf3bd7d7d84fb0f704cc89f426bb3981b0e88650","inputs":"sha256:5a18055e971332569eabd47f36b3f7af5d0d9759e7f0ad1d13f72360e5a02908"}}','sha256:c9330c31bbc892a9b28d942389fce4c782a109b9bf151d2050a16cd807082808','{"host":["7d6a77217a1b4755764dec2bb7ff557a","vm"],"inputs":["e16ae25a25d42db5a6dd802f072a1640",{"train/rows.csv":"2a2b86e74ffd5e6a9b75e52a105cf9d02920837179f8e8961aa15411d380f7a3"}]}');
INSERT INTO "record_entries" VALUES('td4nrg2fdnp7h',3,'local',1.79512661273279929162e+09,'attempt','{"at":1795126612.7327993,"before":"sha256:c9330c31bbc892a9b28d942389fce4c782a109b9bf151d2050a16cd807082808","body":{"attempt":"az9wmkq75eyy8","ended":1795126612.7327993,"exit_code":0,"number":1,"queued":1795126610.784196,"reason":"","runs":[{"ended":1795126612.7327993,"exit_code":0,"run":1,"started":1795126612.4803119}],"script":"sha256:4fe15dc2b8c9aaf5d7189f204fe8b3213bf838afa05f116c213b0ae58917f48a","started":1795126612.4803119},"kind":"attempt","n":3,"sealed":{"native_id":"sha256:4fb900653a5574b83a02fc17c62b47cf0d787c65997ec61a439abeaa6af109bc","nodes":"sha256:4d24aafb48a15ecf5d51bdf27258a6853e05e0dede3414f849ea45289fa7ef79"}}','sha256:af16708fd035e477c3ddb1d79bc80d619b17847a434404f0acf551045b268b3c','{"native_id":["47025354a27819696905131006efd720","660a87bf64a80-69a070"],"nodes":["183a17b41456d872214fa0d159e7e8a1",["vm"]]}');
INSERT INTO "record_entries" VALUES('td4nrg2fdnp7h',4,'local',1.79512661273279929162e+09,'ended','{"at":1795126612.7327993,"before":"sha256:af16708fd035e477c3ddb1d79bc80d619b17847a434404f0acf551045b268b3c","body":{"attempts":1,"created":1795126610.1993344,"ended":1795126612.7327993,"exit_code":0,"node_hours":7.01353947321574e-05,"plan":null,"reason":"","signal":null,"started":1795126612.4803119,"state":"succeeded"},"kind":"ended","n":4}','sha256:1e886553dff84f9ae54119cd7b202783514d9ea52dfb1abedaaa03e9f512e930','');
INSERT INTO "record_entries" VALUES('td4nrg2fdnp7h',5,'local',1.79512661278939104078e+09,'metrics','{"at":1795126612.789391,"before":"sha256:1e886553dff84f9ae54119cd7b202783514d9ea52dfb1abedaaa03e9f512e930","body":{"energy_joules":null,"values":{"loss":{"last":0.3333333333333333,"max":1.0,"min":0.3333333333333333,"step":2.0}}},"kind":"metrics","n":5}','sha256:79f52988f70c66c8d6148449ba5fa2f054e6e119a8426cdef8907161c2e0ac8c','');
INSERT INTO "record_entries" VALUES('t4z5f4s37gw5w',2,'local',1.79512661299928498264e+09,'facts','{"at":1795126612.999285,"before":"sha256:83f4832f0fa6ccbe3f449e2b05c852764a2c6907406b249e266c7d438388acac","body":{"architecture":"","attempt":"a8f55a8x7nd9n","cores":0,"cpu":"AMD EPYC","cuda":"","driver":"","gpus":[],"inputs":{},"kernel":"6.18.44-fc-v657","libraries":{},"memory_mb":24105,"packages":"","python":"","run":1,"seeds":{},"settings":{},"system":""},"kind":"facts","n":2,"sealed":{"host":"sha256:18b4832c6fa5f54ef81c7b063b2c593e25a6b1e1a78476c03c6190574ba7afc3"}}','sha256:0e71df70acda95b5ab914e5ce6d3fa2af2d26b05d2332405b8e4f31c5210d578','{"host":["839b45c720ffb995db2072fe303bdda6","vm"]}');
INSERT INTO "record_entries" VALUES('tad24gj4wq2th',2,'local',1.79512661301746344558e+09,'facts','{"at":1795126613.0174634,"before":"sha256:301d23f08c36f44dc1d7b794c7f443416ae5373dd7f4582fdd33ae09c6ff29ef","body":{"architecture":"","attempt":"akk42gc5heb62","cores":0,"cpu":"AMD EPYC","cuda":"","driver":"","gpus":[],"inputs":{},"kernel":"6.18.44-fc-v657","libraries":{},"memory_mb":24105,"packages":"","python":"","run":1,"seeds":{},"settings":{},"system":""},"kind":"facts","n":2,"sealed":{"host":"sha256:2c48906812d86ce2762761cb1d9b79a3c5fd7f50b1f4bf30d60eac284363ebd7"}}','sha256:105021ed3bfd66525faaa880177b44e244fe20052a001527e9be02ea44cea535','{"host":["ecbe901b281d6118f71e15c83644fc86","vm"]}');
INSERT INTO "record_entries" VALUES('td4nrg2fdnp7h',6,'local',1.79512661303330755234e+09,'result','{"at":1795126613.0333076,"before":"sha256:79f52988f70c66c8d6148449ba5fa2f054e6e119a8426cdef8907161c2e0ac8c","body":{"bytes":1,"files":1,"kind":"files","name":"weights","tree":"dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02"},"kind":"result","n":6}','sha256:9522fa348f1ec23de8ab2dd0643da8da99f09c72e4b6dc2974f22be8c2fe8276','');
INSERT INTO "record_entries" VALUES('t4mpbppafrdfu',3,'local',1.7951266127839641571e+09,'attempt','{"at":1795126612.7839642,"before":"sha256:b0b4e0e7b08e5bb9aeaf49fc264ad8fc5016ac07e349360f05b9832be792cae8","body":{"attempt":"amhq3v7thc889","ended":1795126612.7839642,"exit_code":0,"number":1,"queued":1795126611.1235192,"reason":"","runs":[{"ended":1795126612.7839642,"exit_code":0,"run":1,"started":1795126612.4795985}],"script":"sha256:58588a2d05352f58b69dbaa769471e20844a31b05583beadca46267662c4f600","started":1795126612.4795985},"kind":"attempt","n":3,"sealed":{"native_id":"sha256:9d7df6243ac27924646fde44f8fddb54aea20a3e10eafd5270ce1ec0827d7350","nodes":"sha256:9c24da904fb02a3a801f8f0a10955b4771749aa44db9c2c16a4a0e45a5bb17f3"}}','sha256:580fb9e7a3ee316d4dd02779e8696f3617fabb07d980fac9c0e4de368ed610be','{"native_id":["374f9da8a16cd51f1ab589f23c9a6128","660a87bfb1a43-d6ad13"],"nodes":["90ec2a9f2587c59ba15dda32d5c0804e",["vm"]]}');
INSERT INTO "record_entries" VALUES('t4mpbppafrdfu',4,'local',1.7951266127839641571e+09,'ended','{"at":1795126612.7839642,"before":"sha256:580fb9e7a3ee316d4dd02779e8696f3617fabb07d980fac9c0e4de368ed610be","body":{"attempts":1,"created":1795126610.9532392,"ended":1795126612.7839642,"exit_code":0,"node_hours":8.454600969950358e-05,"plan":null,"reason":"","signal":null,"started":1795126612.4795985,"state":"succeeded"},"kind":"ended","n":4}','sha256:5e7dab9cb280e27c372d586cba7e2a6c0192b19a2692ba6ee6d1ec5d29f35ad4','');
INSERT INTO "record_entries" VALUES('t4mpbppafrdfu',5,'local',1.79512661304382586478e+09,'metrics','{"at":1795126613.0438259,"before":"sha256:5e7dab9cb280e27c372d586cba7e2a6c0192b19a2692ba6ee6d1ec5d29f35ad4","body":{"energy_joules":null,"values":{"loss":{"last":0.3333333333333333,"max":1.0,"min":0.3333333333333333,"step":2.0}}},"kind":"metrics","n":5}','sha256:13180fa9a65ea88b5266cfd96b69b32505f1cbef7894db5bfbbd0804c66f20d9','');
INSERT INTO "record_entries" VALUES('tad24gj4wq2th',3,'local',1.79512661301063418386e+09,'attempt','{"at":1795126613.0106342,"before":"sha256:105021ed3bfd66525faaa880177b44e244fe20052a001527e9be02ea44cea535","body":{"attempt":"akk42gc5heb62","ended":1795126613.0106342,"exit_code":0,"number":1,"queued":1795126611.1397526,"reason":"","runs":[{"ended":1795126613.0106342,"exit_code":0,"run":1,"started":1795126613.010575}],"script":"sha256:4c52b49745cbe35e025c675a1f79be3019b255c191a5b4d43626fb1dda0c8ec0","started":1795126613.010575},"kind":"attempt","n":3,"sealed":{"native_id":"sha256:473b2ded358d7ef430e5224dd42aa1408a3d50b015ad74f2252108b01b313d70","nodes":"sha256:08eaba77ae62a9bfdfdf5e357e822e229232e4f9e48a59d4740a19dab0536c57"}}','sha256:a9044059a792d03aff92eefa35d5deded4a176fcdceeef4f28c8f7583e88136c','{"native_id":["a16f0396351066114708bb4e983b695b","660a87bfbb5c0-b7da19"],"nodes":["66c1a8ce247fd423c2cbabeef6355680",["vm"]]}');
INSERT INTO "record_entries" VALUES('tad24gj4wq2th',4,'local',1.79512661301063418386e+09,'ended','{"at":1795126613.0106342,"before":"sha256:a9044059a792d03aff92eefa35d5deded4a176fcdceeef4f28c8f7583e88136c","body":{"attempts":1,"created":1795126610.9970548,"ended":1795126613.0106342,"exit_code":0,"node_hours":1.6424391004774305e-08,"plan":null,"reason":"","signal":null,"started":1795126613.010575,"state":"succeeded"},"kind":"ended","n":4}','sha256:ce9f98853f6720267bc519f354ebd4fe98d352ba08c00d562f81c55fab5cf1ba','');
INSERT INTO "record_entries" VALUES('tad24gj4wq2th',5,'local',1.79512661327854204174e+09,'result','{"at":1795126613.278542,"before":"sha256:ce9f98853f6720267bc519f354ebd4fe98d352ba08c00d562f81c55fab5cf1ba","body":{"bytes":2,"files":1,"kind":"files","name":"made","tree":"f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68"},"kind":"result","n":5}','sha256:39cd75ad196ba9d59ac6687bfc57e2db46c54b1f86891a0c9bc6c6d80b4325bd','');
INSERT INTO "record_entries" VALUES('t38cmw3nj26pm',1,'local',1.79512661329474329952e+09,'submitted','{"at":1795126613.2947433,"before":"","body":{"code":null,"diamond":"0.1.0","digest":"sha256:92b107b60c49d5d8b935ccaced7d8bcdc5925daaf4028257b4594820ac05d905","inputs":[{"name":"prepare_made","tree":"f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68","version":""}],"is_rebuilt":false,"job":"juy3jwnwsj6b5","kind":"run","name":"flow.train","order":{"argv":[],"budget":"","build":null,"code":null,"command":"cat \"${DIAMOND_DATA}\"[path] > model.txt","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"flow.train","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":60},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":"[place]","pattern":""},"secrets":[],"trees":{"prepare_made":{"cache":"","digest":"f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68","layout":"files"}}},"params":{},"plan":null,"retry_of":"","seeds":{},"spec":{"data":{"prepare_made":{"tree":"sha256:f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68"}},"name":"flow.train","on":"[place]","run":"cat {prepare_made}/n > model.txt"},"task":"t38cmw3nj26pm"},"kind":"submitted","n":1,"sealed":{"endpoint":"sha256:ca619d546353d37e63e91819654dbb94da3c0948a5f8e52621b9e5946e9a7ab7","order":"sha256:9e9f6cc29951f1a898275ba7c2e45e8b9680441c09993fd14d7284d2b5b43bfd","spec":"sha256:09ce48e4b6913f399498b07b26a8ed7e52095673808e1bcd0651e30566a0245b","who":"sha256:e9ea57083c84d29d8e1a5c2f122884e47ffbd339c83083fffc2fa9d6f20518b9"}}','sha256:eb6b6eaedc3ec63cbe6e7bafda662369c736c392cc39c7ee93e610bc4c9cc01c','{"endpoint":["63a79dd3a6cdc0a8ce029301d25c454e",{"id":"e4nzfqcwnwpyv","name":"laptop"}],"order":["f083a2e71cab7a2c7bd3eb7f019a8718",{"argv":[],"budget":"","build":null,"code":null,"command":"cat \"${DIAMOND_DATA}\"/prepare_made/n > model.txt","data":{},"environment":null,"image":null,"launch":{"hang_seconds":0,"kind":"single","starts_ranks":false},"name":"flow.train","params":{},"placement":{"account":"","constraint":"","options":{},"partition":"","qos":"","reservation":""},"resources":{"cpus_per_task":1,"gpu_type":"","gpus_per_node":0,"memory_mb":0,"nodes":1,"tasks_per_node":1,"walltime_minutes":60},"resume":{"ahead":0,"lead_seconds":120,"max_attempts":100,"on":["exit-75"],"pattern":""},"secrets":[],"trees":{"prepare_made":{"cache":"","digest":"f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68","layout":"files"}}}],"spec":["3275f0f854cddf0e6d2058536c27d7e8",{"data":{"prepare_made":{"tree":"sha256:f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68"}},"name":"flow.train","on":"laptop","run":"cat {prepare_made}/n > model.txt"}],"who":["dd033d447dc5911ba211bc21a267dfe0","local"]}');
INSERT INTO "record_entries" VALUES('t38cmw3nj26pm',2,'local',1.79512661345714950563e+09,'facts','{"at":1795126613.4571495,"before":"sha256:eb6b6eaedc3ec63cbe6e7bafda662369c736c392cc39c7ee93e610bc4c9cc01c","body":{"architecture":"","attempt":"am8p9hcagfk6h","cores":0,"cpu":"AMD EPYC","cuda":"","driver":"","gpus":[],"inputs":{},"kernel":"6.18.44-fc-v657","libraries":{},"memory_mb":24105,"packages":"","python":"","run":1,"seeds":{},"settings":{},"system":""},"kind":"facts","n":2,"sealed":{"host":"sha256:5eaee67a96347a2d58249e8c018de179b3fc91333b1a736ac0c5238b3eef3188","inputs":"sha256:6632b154ebd05f7b6d83885f34883bfd0be70145b52db9c60efed2274a965e07"}}','sha256:bfbaa5317c046910ca892d9e61471501dc94523b85c03a40b4951b19971d7742','{"host":["5b0f43795f922c281ea4ced7a4eeb326","vm"],"inputs":["9f9517c37ace78c3e30478e785c4fb78",{"prepare_made/n":"7de1555df0c2700329e815b93b32c571c3ea54dc967b89e81ab73b9972b72d1d"}]}');
INSERT INTO "record_entries" VALUES('t4z5f4s37gw5w',3,'local',1.79512661327416253088e+09,'attempt','{"at":1795126613.2741625,"before":"sha256:0e71df70acda95b5ab914e5ce6d3fa2af2d26b05d2332405b8e4f31c5210d578","body":{"attempt":"a8f55a8x7nd9n","ended":1795126613.2741625,"exit_code":0,"number":1,"queued":1795126611.132547,"reason":"","runs":[{"ended":1795126613.2741625,"exit_code":0,"run":1,"started":1795126612.9578607}],"script":"sha256:cd441d7b74ab1cd48e35b265707ae7becdd0ece850a3ac418fdf5b480b0a3692","started":1795126612.9578607},"kind":"attempt","n":3,"sealed":{"native_id":"sha256:0022e699ca142b130cdc03ead5589c18c96d378f79ff7c587722d9ed35a9e680","nodes":"sha256:7476e168b5886f6d8b2c621966248293c684e44b3233109c562d1026d0383315"}}','sha256:fa7f922df5cbd8a6e4c4277f5128cecadc0ccaa09e06599680471f975a92f8b4','{"native_id":["ae373b6a01018f8640920e2478780af8","660a87bfb797f-5823f8"],"nodes":["7284210a04060af82a8ab5323c20e06a",["vm"]]}');
INSERT INTO "record_entries" VALUES('t4z5f4s37gw5w',4,'local',1.79512661327416253088e+09,'ended','{"at":1795126613.2741625,"before":"sha256:fa7f922df5cbd8a6e4c4277f5128cecadc0ccaa09e06599680471f975a92f8b4","body":{"attempts":1,"created":1795126610.9651515,"ended":1795126613.2741625,"exit_code":0,"node_hours":8.78616174062093e-05,"plan":null,"reason":"","signal":null,"started":1795126612.9578607,"state":"succeeded"},"kind":"ended","n":4}','sha256:e2c811859d0fd324eab57118b60cb44bb4ac8b41b18cab892df427c083e266eb','');
INSERT INTO "record_entries" VALUES('t4z5f4s37gw5w',5,'local',1.79512661348692917828e+09,'metrics','{"at":1795126613.4869292,"before":"sha256:e2c811859d0fd324eab57118b60cb44bb4ac8b41b18cab892df427c083e266eb","body":{"energy_joules":null,"values":{"loss":{"last":0.3333333333333333,"max":1.0,"min":0.3333333333333333,"step":2.0}}},"kind":"metrics","n":5}','sha256:c9e8e4c4eaf2508a2eaa6e26fa5487bdd93602389f415379e5270cb88828b8ed','');
INSERT INTO "record_entries" VALUES('t38cmw3nj26pm',3,'local',1.79512661345564579961e+09,'attempt','{"at":1795126613.4556458,"before":"sha256:bfbaa5317c046910ca892d9e61471501dc94523b85c03a40b4951b19971d7742","body":{"attempt":"am8p9hcagfk6h","ended":1795126613.4556458,"exit_code":0,"number":1,"queued":1795126613.396519,"reason":"","runs":[{"ended":1795126613.4556458,"exit_code":0,"run":1,"started":1795126613.4555838}],"script":"sha256:fb18c016cd7e4bc01d9e64ff3de46874d2ae6fc9726dac4109eaa4e0845cc27c","started":1795126613.4555838},"kind":"attempt","n":3,"sealed":{"native_id":"sha256:1c75f27f5345f9c92bdad5b01ca3457cd5f4cfd40e639c5b425a4f664d9c1268","nodes":"sha256:6ee27608de2d8d9e66fd9583ca2f4ed4c960638e64e05b50235eb1ebae9651ad"}}','sha256:965ca8d88c42f4cb17920e586a8b0b5901f785b73cbc820c2b027d34668efc4e','{"native_id":["1c08b9393115e497e8125e10959845fc","660a87c1df8d8-05a078"],"nodes":["f43afc218a330e2ab83c023376864115",["vm"]]}');
INSERT INTO "record_entries" VALUES('t38cmw3nj26pm',4,'local',1.79512661345564579961e+09,'ended','{"at":1795126613.4556458,"before":"sha256:965ca8d88c42f4cb17920e586a8b0b5901f785b73cbc820c2b027d34668efc4e","body":{"attempts":1,"created":1795126613.2947433,"ended":1795126613.4556458,"exit_code":0,"node_hours":1.7219119601779512e-08,"plan":null,"reason":"","signal":null,"started":1795126613.4555838,"state":"succeeded"},"kind":"ended","n":4}','sha256:5b0aa0666c4013892a5e2af2a06418b4ccb4844b0847fb1666261f05adc6e80c','');
INSERT INTO "record_entries" VALUES('t38cmw3nj26pm',5,'local',1.79512661373549437526e+09,'result','{"at":1795126613.7354944,"before":"sha256:5b0aa0666c4013892a5e2af2a06418b4ccb4844b0847fb1666261f05adc6e80c","body":{"bytes":2,"files":1,"kind":"files","name":"model","tree":"23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d"},"kind":"result","n":5}','sha256:6745b096c0f1a156fb7b8e16e6560db66312f1c4a7efef54a598c472074c5d03','');
CREATE TABLE record_imports (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	digest VARCHAR(80) NOT NULL, 
	bytes BIGINT NOT NULL, 
	content JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_record_imports PRIMARY KEY (id), 
	CONSTRAINT fk_record_imports_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE record_links (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	tasks JSON NOT NULL, 
	options JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, 
	uses INTEGER NOT NULL, 
	used DOUBLE, 
	CONSTRAINT pk_record_links PRIMARY KEY (id), 
	CONSTRAINT uq_record_links_hash UNIQUE (hash), 
	CONSTRAINT fk_record_links_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE record_texts (
	owner VARCHAR(64) NOT NULL, 
	digest VARCHAR(80) NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_record_texts PRIMARY KEY (owner, digest)
);
CREATE TABLE records (
	task VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	head VARCHAR(80) NOT NULL, 
	changed DOUBLE NOT NULL, 
	anchored INTEGER NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (task), 
	CONSTRAINT fk_records_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "records" VALUES('td4nrg2fdnp7h','local',6,'sha256:9522fa348f1ec23de8ab2dd0643da8da99f09c72e4b6dc2974f22be8c2fe8276',1.79512661303348660464e+09,0);
INSERT INTO "records" VALUES('ttnynpxkfpv7k','local',5,'sha256:1231ed1c7e62773bed59e8922d3f5ef08b789954ac8420bd1480316141b027ca',1.79512661158277297022e+09,0);
INSERT INTO "records" VALUES('t7fr6trh6gyn2','local',4,'sha256:1ead3af24c82c7abd4c0e332b7f9236da1e83fd5628ccb475c4b874d32d53297',1.79512661237140369414e+09,0);
INSERT INTO "records" VALUES('t4mpbppafrdfu','local',5,'sha256:13180fa9a65ea88b5266cfd96b69b32505f1cbef7894db5bfbbd0804c66f20d9',1.79512661304396677021e+09,0);
INSERT INTO "records" VALUES('t4z5f4s37gw5w','local',5,'sha256:c9e8e4c4eaf2508a2eaa6e26fa5487bdd93602389f415379e5270cb88828b8ed',1.79512661348707580569e+09,0);
INSERT INTO "records" VALUES('tad24gj4wq2th','local',5,'sha256:39cd75ad196ba9d59ac6687bfc57e2db46c54b1f86891a0c9bc6c6d80b4325bd',1.79512661327875280379e+09,0);
INSERT INTO "records" VALUES('t38cmw3nj26pm','local',5,'sha256:6745b096c0f1a156fb7b8e16e6560db66312f1c4a7efef54a598c472074c5d03',1.79512661373567938803e+09,0);
CREATE TABLE relay_answers (
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	request VARCHAR(64) NOT NULL, 
	ok BOOLEAN NOT NULL, 
	more BOOLEAN NOT NULL, 
	body BLOB NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_relay_answers PRIMARY KEY (n), 
	CONSTRAINT fk_relay_answers_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE relay_requests (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	body BLOB NOT NULL, 
	taken BOOLEAN NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_relay_requests PRIMARY KEY (id), 
	CONSTRAINT fk_relay_requests_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE removed_code (
	owner VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	by_rule BOOLEAN NOT NULL, 
	CONSTRAINT pk_removed_code PRIMARY KEY (owner, digest), 
	CONSTRAINT fk_removed_code_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE reproductions (
	task VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	original VARCHAR(80) NOT NULL, 
	endpoint TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	asked JSON NOT NULL, 
	evidence JSON NOT NULL, 
	verdict JSON, 
	created DOUBLE NOT NULL, 
	judged DOUBLE, 
	CONSTRAINT pk_reproductions PRIMARY KEY (task), 
	CONSTRAINT fk_reproductions_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_reproductions_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE results (
	task VARCHAR(64) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	path TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	format VARCHAR(32) NOT NULL, 
	signature JSON NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	scan VARCHAR(64) NOT NULL, 
	tree VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	files INTEGER NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_results PRIMARY KEY (task, name), 
	CONSTRAINT fk_results_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_results_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "results" VALUES('tad24gj4wq2th','made','local','out','files','','{}','ready','','ramtm38pgqu3w','f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68',2,1,1.79512661099961376193e+09);
INSERT INTO "results" VALUES('td4nrg2fdnp7h','weights','local','model.txt','files','','{}','ready','','rfcgwz2xt82yz','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02',1,1,1.79512661280449199677e+09);
INSERT INTO "results" VALUES('t38cmw3nj26pm','model','local','model.txt','files','','{}','ready','','rvws858ggknzc','23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d',2,1,1.7951266133061652184e+09);
CREATE TABLE run_summaries (
	task VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	facts JSON NOT NULL, 
	metrics BLOB NOT NULL, 
	CONSTRAINT pk_run_summaries PRIMARY KEY (task), 
	CONSTRAINT fk_run_summaries_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_run_summaries_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "run_summaries" VALUES('td4nrg2fdnp7h','local','{"params":{"lr":0.1},"data":{"train":"sha256:0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185"},"code":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","nodes":1,"gpus":0,"launch":"single"}',X'080000005B226C6F7373225D555555555555D53F555555555555D53F000000000000F03F0000000000000040');
INSERT INTO "run_summaries" VALUES('ttnynpxkfpv7k','local','{"code":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","nodes":1,"gpus":0,"launch":"single"}',X'080000005B226C6F7373225D555555555555D53F555555555555D53F000000000000F03F0000000000000040');
INSERT INTO "run_summaries" VALUES('t4mpbppafrdfu','local','{"params":{"lr":0.01},"code":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","nodes":1,"gpus":0,"launch":"single"}',X'080000005B226C6F7373225D555555555555D53F555555555555D53F000000000000F03F0000000000000040');
INSERT INTO "run_summaries" VALUES('t4z5f4s37gw5w','local','{"params":{"lr":0.1},"code":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","nodes":1,"gpus":0,"launch":"single"}',X'080000005B226C6F7373225D555555555555D53F555555555555D53F000000000000F03F0000000000000040');
INSERT INTO "run_summaries" VALUES('tad24gj4wq2th','local','{"nodes":1,"gpus":0,"launch":"single"}',X'');
INSERT INTO "run_summaries" VALUES('t38cmw3nj26pm','local','{"data":{"prepare_made":"sha256:f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68"},"nodes":1,"gpus":0,"launch":"single"}',X'');
CREATE TABLE saved_views (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	page VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	"query" JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	CONSTRAINT pk_saved_views PRIMARY KEY (id), 
	CONSTRAINT uq_saved_views_owner_page_name UNIQUE (owner, page, name), 
	CONSTRAINT fk_saved_views_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE scales (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	job VARCHAR(64) NOT NULL, 
	for_task VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	endpoint_name TEXT NOT NULL, 
	fits VARCHAR(80) NOT NULL, 
	wanted JSON NOT NULL, 
	probes JSON NOT NULL, 
	result JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	ended DOUBLE, 
	version INTEGER NOT NULL, 
	CONSTRAINT pk_scales PRIMARY KEY (id), 
	CONSTRAINT fk_scales_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE scans (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	act VARCHAR(16) NOT NULL, 
	path TEXT NOT NULL, 
	tree VARCHAR(64) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	bytes BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	files BIGINT NOT NULL, 
	files_done BIGINT NOT NULL, 
	seconds_left DOUBLE, 
	message TEXT NOT NULL, 
	named JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	started DOUBLE, 
	updated DOUBLE NOT NULL, origin JSON, 
	CONSTRAINT pk_scans PRIMARY KEY (id), 
	CONSTRAINT fk_scans_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "scans" VALUES('rbt8dfvfwywhe','local','e4nzfqcwnwpyv','scan','/recorded/data','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185','done',12,12,1,1,NULL,'','[]',1.79512660943008971214e+09,1.79512660994364118575e+09,1.79512660995018887523e+09,NULL);
INSERT INTO "scans" VALUES('rem46qh6sjxt2','local','e4nzfqcwnwpyv','preview','','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185','done',0,0,0,0,NULL,'','[]',1.79512660996365118028e+09,1.79512661038565778733e+09,1.79512661038566589356e+09,NULL);
INSERT INTO "scans" VALUES('rfcgwz2xt82yz','local','e4nzfqcwnwpyv','scan','/recorded/agent-work/tasks/td4nrg2fdnp7h/run/model.txt','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02','done',1,1,1,1,NULL,'','[]',1.79512661280495810513e+09,1.79512661303072237973e+09,1.79512661303159451486e+09,NULL);
INSERT INTO "scans" VALUES('ramtm38pgqu3w','local','e4nzfqcwnwpyv','scan','/recorded/agent-work/tasks/tad24gj4wq2th/run/out','f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68','done',2,2,1,1,NULL,'','[]',1.79512661305778932572e+09,1.79512661326933622356e+09,1.79512661327722740172e+09,NULL);
INSERT INTO "scans" VALUES('rvws858ggknzc','local','e4nzfqcwnwpyv','scan','/recorded/agent-work/tasks/t38cmw3nj26pm/run/model.txt','23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d','done',2,2,1,1,NULL,'','[]',1.79512661350304150581e+09,1.7951266137335150242e+09,1.79512661373436713217e+09,NULL);
CREATE TABLE sessions (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	before_hash VARCHAR(64), 
	before_until DOUBLE NOT NULL, 
	created DOUBLE NOT NULL, 
	renewed DOUBLE NOT NULL, 
	seen DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, 
	signed_in DOUBLE NOT NULL, 
	mfa BOOLEAN NOT NULL, 
	provider VARCHAR(64) NOT NULL, 
	id_token TEXT NOT NULL, 
	address TEXT NOT NULL, 
	browser TEXT NOT NULL, maker VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_sessions_hash UNIQUE (hash), 
	CONSTRAINT uq_sessions_before_hash UNIQUE (before_hash)
);
CREATE TABLE settings (
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(32) NOT NULL, 
	value JSON NOT NULL, 
	CONSTRAINT pk_settings PRIMARY KEY (owner, name), 
	CONSTRAINT fk_settings_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE shares (
	kind VARCHAR(16) NOT NULL, 
	thing VARCHAR(64) NOT NULL, 
	with_kind VARCHAR(16) NOT NULL, 
	with_id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_shares PRIMARY KEY (kind, thing, with_kind, with_id), 
	CONSTRAINT fk_shares_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE storage_rules (
	kind VARCHAR(16) NOT NULL, 
	subject VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	days INTEGER, 
	quota BIGINT, 
	updated DOUBLE NOT NULL, code_days INTEGER, 
	CONSTRAINT pk_storage_rules PRIMARY KEY (kind, subject)
);
CREATE TABLE streams (
	owner VARCHAR(64) NOT NULL, 
	last BIGINT NOT NULL, 
	CONSTRAINT pk_streams PRIMARY KEY (owner), 
	CONSTRAINT fk_streams_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "streams" VALUES('local',76);
CREATE TABLE studies (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	spec JSON NOT NULL, 
	code JSON, 
	"plan" JSON NOT NULL, 
	counts JSON NOT NULL, 
	streak JSON NOT NULL, 
	warnings JSON NOT NULL, 
	inputs JSON NOT NULL, 
	asked INTEGER NOT NULL, 
	best INTEGER, 
	open INTEGER NOT NULL, 
	node_seconds DOUBLE NOT NULL, 
	saved_seconds DOUBLE NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	ended DOUBLE, 
	version INTEGER NOT NULL, 
	CONSTRAINT pk_studies PRIMARY KEY (id), 
	CONSTRAINT fk_studies_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "studies" VALUES('h3jtbs8t2ts57','local','','search','done','','{"name":"search","run":"LR={lr} python3 train.py 0","on":"laptop","resources":{"walltime":"5m"},"params":{"lr":0.1},"study":{"objective":{"loss":"minimize"},"space":{"lr":{"choice":[0.1,0.01]}},"sampler":"grid","trials":2}}','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}','{"objectives":[{"name":"loss","maximize":false}],"space":[{"name":"lr","kind":"choice","low":0.0,"high":0.0,"log":false,"step":null,"choices":[0.1,0.01],"when":{}}],"value":"best","sampler":{"name":"grid","options":{}},"pruner":{"name":"none","unit":"step","min":1,"max":100,"factor":3,"startup":5,"warmup":0,"interval":1,"percentile":25.0,"p":0.1,"mode":"stop"},"trials":2,"parallel":4,"budget":"","on":["laptop"],"repeats":1,"seed":0,"warm_start":[]}','{"waiting":0,"running":0,"stopping":0,"paused":0,"complete":2,"pruned":0,"failed":0}','{"cause":"","count":0}','[]','{"image":"","data":{},"endpoint":"laptop","node_hours":0.08333333333333333}',2,0,0,6.2066745758056640625e-01,0.0,1795126610.7758,1795126613.58483,1.79512661358450651164e+09,5);
CREATE TABLE study_tasks (
	task VARCHAR(64) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	trial INTEGER NOT NULL, 
	repeat INTEGER NOT NULL, 
	n INTEGER NOT NULL, 
	CONSTRAINT pk_study_tasks PRIMARY KEY (task), 
	CONSTRAINT fk_study_tasks_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_study_tasks_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "study_tasks" VALUES('t4mpbppafrdfu','h3jtbs8t2ts57','local',0,0,0);
INSERT INTO "study_tasks" VALUES('t4z5f4s37gw5w','h3jtbs8t2ts57','local',1,0,0);
CREATE TABLE study_trials (
	study VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	params JSON NOT NULL, 
	space JSON NOT NULL, 
	"values" JSON NOT NULL, 
	spread DOUBLE, 
	steps JSON NOT NULL, 
	judged DOUBLE, 
	rungs JSON NOT NULL, 
	cause VARCHAR(64) NOT NULL, 
	message TEXT NOT NULL, 
	origin VARCHAR(16) NOT NULL, 
	attributes JSON NOT NULL, 
	endpoint TEXT NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	reruns INTEGER NOT NULL, 
	node_seconds DOUBLE NOT NULL, 
	created DOUBLE NOT NULL, 
	started DOUBLE, 
	ended DOUBLE, 
	revision INTEGER NOT NULL, 
	CONSTRAINT pk_study_trials PRIMARY KEY (study, number), 
	CONSTRAINT fk_study_trials_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_study_trials_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "study_trials" VALUES('h3jtbs8t2ts57',0,'local','complete','{"lr":0.01}','[]','[0.3333333333333333]',NULL,'[[0.0,1.0],[1.0,0.5],[2.0,0.3333333333333333]]',NULL,'[]','','','sampler','{"search_space":{"lr":[0.1,0.01]},"grid_id":0}','laptop','t4mpbppafrdfu',0,3.04365634918212890625e-01,1.79512661086050987237e+09,1.79512661247959852224e+09,1.79512661311888265611e+09,4);
INSERT INTO "study_trials" VALUES('h3jtbs8t2ts57',1,'local','complete','{"lr":0.1}','[]','[0.3333333333333333]',NULL,'[[0.0,1.0],[1.0,0.5],[2.0,0.3333333333333333]]',NULL,'[]','','','sampler','{"search_space":{"lr":[0.1,0.01]},"grid_id":1}','laptop','t4z5f4s37gw5w',0,3.16301822662353515625e-01,1.79512661086050987237e+09,1.79512661295786070825e+09,1.79512661358450651164e+09,5);
CREATE TABLE tasks (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	job VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	endpoint_name TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	native_state TEXT NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	message TEXT NOT NULL, 
	exit_code INTEGER, 
	signal INTEGER, 
	as_of DOUBLE NOT NULL, 
	cancel_requested BOOLEAN NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	attempts JSON NOT NULL, 
	node TEXT NOT NULL, 
	run_dir TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	started DOUBLE, 
	ended DOUBLE, 
	retry_of VARCHAR(64), 
	"order" JSON NOT NULL, 
	digest VARCHAR(80) NOT NULL, 
	code JSON, 
	unconfirmed BOOLEAN NOT NULL, 
	history INTEGER NOT NULL, 
	version INTEGER NOT NULL, cleaned DOUBLE, project VARCHAR(64) DEFAULT '' NOT NULL, chain JSON, prediction JSON, node_seconds DOUBLE DEFAULT '0' NOT NULL, bytes BIGINT DEFAULT '0' NOT NULL, archived DOUBLE, final_metrics JSON, depends INTEGER DEFAULT '0' NOT NULL, tags JSON DEFAULT '[]' NOT NULL, note TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_tasks PRIMARY KEY (id), 
	CONSTRAINT fk_tasks_job FOREIGN KEY(job) REFERENCES jobs (id), 
	CONSTRAINT fk_tasks_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "tasks" VALUES('td4nrg2fdnp7h','local','j4xngkf59x4k9','good','run','e4nzfqcwnwpyv','laptop','succeeded','','','','',0,NULL,1.79512661273279929162e+09,0,'az9wmkq75eyy8','[{"id":"az9wmkq75eyy8","number":1,"native_id":"660a87bf64a80-69a070","run":1,"runs":[{"run":1,"node":"vm","started":1795126612.4803119,"ended":1795126612.7327993,"exit_code":0}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1795126610.784196,"arrived":null,"started":1795126612.4803119,"ended":1795126612.7327993,"reason":"","limit_seconds":null,"script":"sha256:4fe15dc2b8c9aaf5d7189f204fe8b3213bf838afa05f116c213b0ae58917f48a"}]','vm','/recorded/agent-work/tasks/td4nrg2fdnp7h',1.79512661019933438301e+09,1.79512661278686261171e+09,1.79512661248031187054e+09,1.79512661273279929162e+09,NULL,'{"name":"good","command":"","argv":["python3","train.py","0"],"params":{"lr":0.1},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"trees":{"train":{"digest":"0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185","layout":"files","cache":""}},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:cc237aecdb773cfe14bd7c3f18b5736864879e7069958e64e85d5d46f7fff13a','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}',0,7,8,NULL,'','{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0,"continues":""}','null',2.52487421035766601562e-01,0,NULL,'null',0,'["keep"]','the first');
INSERT INTO "tasks" VALUES('ttnynpxkfpv7k','local','jnh8bkhfmkhxz','bad','run','e4nzfqcwnwpyv','laptop','failed','','FAILED','exit-code','it ended with exit code 3',3,NULL,1.79512661134368515019e+09,0,'a8n8tykfeeu2u','[{"id":"a8n8tykfeeu2u","number":1,"native_id":"660a87bf3943b-7f90f4","run":1,"runs":[{"run":1,"node":"vm","started":1795126610.7762585,"ended":1795126610.9406798,"exit_code":3}],"exit_code":3,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1795126610.7923076,"arrived":null,"started":1795126610.7762585,"ended":1795126611.3436852,"reason":"exit-code","limit_seconds":null,"script":"sha256:7e70ce83c29266e7757acbb56e68c9bebb18b556f2281fef896faea26147c860"}]','vm','/recorded/agent-work/tasks/ttnynpxkfpv7k',1.79512661029512548445e+09,1.79512661156866478915e+09,1.7951266107762584686e+09,1.79512661134368515019e+09,NULL,'{"name":"bad","command":"","argv":["python3","train.py","3"],"params":{},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:9edaff2951169afde3269babd19320a294aa03144dd44df3c98e0dc9766221b4','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}',0,6,6,NULL,'','{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0,"continues":""}','null',5.674266815185546875e-01,0,NULL,'null',0,'[]','');
INSERT INTO "tasks" VALUES('t7fr6trh6gyn2','local','jbsz72rqc27x7','small','build','e4nzfqcwnwpyv','laptop','succeeded','','','','',0,NULL,1.79512661231632947916e+09,0,'aggdcp5zgvw4z','[{"id":"aggdcp5zgvw4z","number":1,"native_id":"660a87bf40962-372718","run":1,"runs":[{"run":1,"node":"vm","started":1795126611.1902752,"ended":1795126612.3163295,"exit_code":0}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1795126610.64333,"arrived":null,"started":1795126611.1902752,"ended":1795126612.3163295,"reason":"","limit_seconds":null,"script":"sha256:965ba692c458b969c0e82bcaaf558bad43d27a48bbe7c19dd9747b060ac775f0"}]','vm','/recorded/agent-work/tasks/t7fr6trh6gyn2',1.79512661033777952196e+09,1795126612.36745,1.79512661119027519228e+09,1.79512661231632947916e+09,NULL,'{"name":"small","command":"","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":{"environment":{"requirements":["six==1.17.0"],"python":"","variables":{},"base":"","accelerator":"","system":[],"lock":"","inherit":false,"files":[],"commands":[],"test":"","labels":{"of":"landed"}},"runtime":"","base_digest":"","upgrade":false},"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":2,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75","preempted","node-lost","wall-time"],"pattern":"","lead_seconds":120,"max_attempts":5,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:aae28ea55dfd833f6051788dc916c6ddbaeb32a5f4e95d3d646a5c45c555f02c','null',0,6,5,NULL,'','{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0,"continues":""}','null',1.12605428695678710937e+00,0,NULL,'null',0,'[]','');
INSERT INTO "tasks" VALUES('t4mpbppafrdfu','local','jf9u5hgxvzwcj','search 0','trial','e4nzfqcwnwpyv','laptop','succeeded','','','','',0,NULL,1.7951266127839641571e+09,0,'amhq3v7thc889','[{"id":"amhq3v7thc889","number":1,"native_id":"660a87bfb1a43-d6ad13","run":1,"runs":[{"run":1,"node":"vm","started":1795126612.4795985,"ended":1795126612.7839642,"exit_code":0}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1795126611.1235192,"arrived":null,"started":1795126612.4795985,"ended":1795126612.7839642,"reason":"","limit_seconds":null,"script":"sha256:58588a2d05352f58b69dbaa769471e20844a31b05583beadca46267662c4f600"}]','vm','/recorded/agent-work/tasks/t4mpbppafrdfu',1.79512661095323920248e+09,1.79512661304179358488e+09,1.79512661247959852224e+09,1.7951266127839641571e+09,NULL,'{"name":"search 0","command":"LR=0.01 python3 train.py 0","argv":[],"params":{"lr":0.01},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:1cb083746d3b12608fa693f32cb93f30691e021c3e74c6bb0259ff3d1f79e4cc','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}',0,5,4,NULL,'','{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0,"continues":""}','null',3.04365634918212890625e-01,0,NULL,'null',0,'[]','');
INSERT INTO "tasks" VALUES('t4z5f4s37gw5w','local','jyd944pq9rau7','search 1','trial','e4nzfqcwnwpyv','laptop','succeeded','','','','',0,NULL,1.79512661327416253088e+09,0,'a8f55a8x7nd9n','[{"id":"a8f55a8x7nd9n","number":1,"native_id":"660a87bfb797f-5823f8","run":1,"runs":[{"run":1,"node":"vm","started":1795126612.9578607,"ended":1795126613.2741625,"exit_code":0}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1795126611.132547,"arrived":null,"started":1795126612.9578607,"ended":1795126613.2741625,"reason":"","limit_seconds":null,"script":"sha256:cd441d7b74ab1cd48e35b265707ae7becdd0ece850a3ac418fdf5b480b0a3692"}]','vm','/recorded/agent-work/tasks/t4z5f4s37gw5w',1.79512661096515154833e+09,1.79512661348491406442e+09,1.79512661295786070825e+09,1.79512661327416253088e+09,NULL,'{"name":"search 1","command":"LR=0.1 python3 train.py 0","argv":[],"params":{"lr":0.1},"code":{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:d0957dc67d7b8c201e0101e64faba3d24827f98121aedc5166bdcec5fc88b068','{"snapshot":"sha256:7058f4310f59c706562017d2cf316029bd0103a4f9a79fa506e9a2fd2c14e6f7","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":304}',0,5,4,NULL,'','{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0,"continues":""}','null',3.16301822662353515625e-01,0,NULL,'null',0,'[]','');
INSERT INTO "tasks" VALUES('tad24gj4wq2th','local','jespwmksw5yg9','flow.prepare','run','e4nzfqcwnwpyv','laptop','succeeded','','','','',0,NULL,1.79512661301063418386e+09,0,'akk42gc5heb62','[{"id":"akk42gc5heb62","number":1,"native_id":"660a87bfbb5c0-b7da19","run":1,"runs":[{"run":1,"node":"vm","started":1795126613.010575,"ended":1795126613.0106342,"exit_code":0}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1795126611.1397526,"arrived":null,"started":1795126613.010575,"ended":1795126613.0106342,"reason":"","limit_seconds":null,"script":"sha256:4c52b49745cbe35e025c675a1f79be3019b255c191a5b4d43626fb1dda0c8ec0"}]','vm','/recorded/agent-work/tasks/tad24gj4wq2th',1.79512661099705481525e+09,1.79512661305182695385e+09,1.79512661301057505612e+09,1.79512661301063418386e+09,NULL,'{"name":"flow.prepare","command":"mkdir out && echo 4 > out/n","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:ce125dfd47754393bb1d3cbaf42568dc68bd4f0d94331bd6061be2273fcfa667','null',0,5,3,NULL,'','{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0,"continues":""}','null',5.91278076171875e-05,0,NULL,'null',0,'[]','');
INSERT INTO "tasks" VALUES('t38cmw3nj26pm','local','juy3jwnwsj6b5','flow.train','run','e4nzfqcwnwpyv','laptop','succeeded','','','','',0,NULL,1.79512661345564579961e+09,0,'am8p9hcagfk6h','[{"id":"am8p9hcagfk6h","number":1,"native_id":"660a87c1df8d8-05a078","run":1,"runs":[{"run":1,"node":"vm","started":1795126613.4555838,"ended":1795126613.4556458,"exit_code":0}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1795126613.396519,"arrived":null,"started":1795126613.4555838,"ended":1795126613.4556458,"reason":"","limit_seconds":null,"script":"sha256:fb18c016cd7e4bc01d9e64ff3de46874d2ae6fc9726dac4109eaa4e0845cc27c"}]','vm','/recorded/agent-work/tasks/t38cmw3nj26pm',1.79512661329474329952e+09,1.79512661350098371498e+09,1.79512661345558381079e+09,1.79512661345564579961e+09,NULL,'{"name":"flow.train","command":"cat \"${DIAMOND_DATA}\"/prepare_made/n > model.txt","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":null,"data":{},"trees":{"prepare_made":{"digest":"f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68","layout":"files","cache":""}},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:92b107b60c49d5d8b935ccaced7d8bcdc5925daaf4028257b4594820ac05d905','null',0,5,2,NULL,'','{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0,"continues":""}','null',6.198883056640625e-05,0,NULL,'null',1,'[]','');
CREATE TABLE tree_previews (
	owner VARCHAR(64) NOT NULL, 
	tree VARCHAR(64) NOT NULL, 
	scan VARCHAR(64) NOT NULL, 
	content JSON, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_tree_previews PRIMARY KEY (owner, tree), 
	CONSTRAINT fk_tree_previews_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "tree_previews" VALUES('local','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185','rem46qh6sjxt2','{"kinds":[{"suffix":".csv","files":1,"bytes":12}],"parts":[{"path":"rows.csv","format":"csv","note":"","rows":2,"sampled":2,"columns":[{"name":"x","type":"integer","missing":0,"histogram":{"low":1.0,"high":3.0,"counts":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]},"values":[]},{"name":"y","type":"integer","missing":0,"histogram":{"low":2.0,"high":4.0,"counts":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]},"values":[]}],"first":[["1","2"],["3","4"]],"arrays":[],"text":"","images":[]}],"note":""}',1.79512660996388864515e+09);
CREATE TABLE tree_transfers (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	tree VARCHAR(64) NOT NULL, 
	source VARCHAR(64), 
	goal VARCHAR(64) NOT NULL, 
	way VARCHAR(16) NOT NULL, 
	layout VARCHAR(16) NOT NULL, 
	words TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	round INTEGER NOT NULL, 
	bytes BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	moved BIGINT NOT NULL, 
	files BIGINT NOT NULL, 
	files_done BIGINT NOT NULL, 
	rate DOUBLE NOT NULL, 
	message TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	started DOUBLE, 
	updated DOUBLE NOT NULL, ways JSON DEFAULT '[]' NOT NULL, tried JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_tree_transfers PRIMARY KEY (id), 
	CONSTRAINT fk_tree_transfers_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "tree_transfers" VALUES('x7um6hnsf6678','local','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02','e4nzfqcwnwpyv','service','service','files','copied from laptop to this service','done',1,1,1,1,1,1,10.0,'',1.79512661337401127807e+09,1.79512661370909953114e+09,1.79512661377093076702e+09,'[]','{}');
CREATE TABLE trees (
	owner VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	files BIGINT NOT NULL, 
	entries BIGINT NOT NULL, 
	has_manifest BOOLEAN NOT NULL, 
	created DOUBLE NOT NULL, manifest_bytes BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_trees PRIMARY KEY (owner, digest), 
	CONSTRAINT fk_trees_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "trees" VALUES('local','0ab9c004a0c783b05f5ddc4f84d8bcf00199ede7bc8a70dd5790a411aa180185',12,1,1,1,1.79512660993500185015e+09,111);
INSERT INTO "trees" VALUES('local','dab3cfc83bdd130855a635c1167a4d0953f6b1668c8e72c8ac1e6813d18a7b02',1,1,1,1,1.7951266130282378196e+09,111);
INSERT INTO "trees" VALUES('local','f5dba3abb791986b9619044727515709d3391e84ebcf79654257f58f38154e68',2,1,1,1,1.79512661326495695113e+09,103);
INSERT INTO "trees" VALUES('local','23d22feb314aaeeeadc12ed6e8a7425a79ba00739226534d0958e6ade6d1983d',2,1,1,1,1.79512661373127055172e+09,111);
CREATE TABLE users (
	id VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	created DOUBLE NOT NULL, email TEXT DEFAULT '' NOT NULL, is_admin BOOLEAN DEFAULT 0 NOT NULL, disabled DOUBLE, seen DOUBLE, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_name UNIQUE (name)
);
INSERT INTO "users" VALUES('local','root',1.79512660500646662711e+09,'',1,NULL,NULL);
CREATE INDEX ix_events_at ON events (at);
CREATE INDEX ix_commands_endpoint_state_seq ON commands (endpoint, state, seq);
CREATE INDEX ix_commands_task ON commands (task);
CREATE INDEX ix_endpoints_cluster_state ON endpoints (cluster, state);
CREATE INDEX ix_idempotency_created ON idempotency (created);
CREATE INDEX ix_jobs_owner_created_id ON jobs (owner, created, id);
CREATE INDEX ix_tasks_endpoint_state ON tasks (endpoint, state);
CREATE INDEX ix_tasks_job ON tasks (job);
CREATE INDEX ix_tasks_owner_kind_created_id ON tasks (owner, kind, created, id);
CREATE INDEX ix_tasks_owner_kind_endpoint_state_created_id ON tasks (owner, kind, endpoint, state, created, id);
CREATE INDEX ix_tasks_owner_kind_name_id ON tasks (owner, kind, name, id);
CREATE INDEX ix_tasks_owner_kind_state_created_id ON tasks (owner, kind, state, created, id);
CREATE INDEX ix_tasks_owner_kind_updated_id ON tasks (owner, kind, updated, id);
CREATE INDEX ix_tasks_owner_kind_name_created_id ON tasks (owner, kind, name, created, id);
CREATE INDEX ix_relay_requests_endpoint_taken ON relay_requests (endpoint, taken);
CREATE INDEX ix_relay_answers_request_n ON relay_answers (request, n);
CREATE INDEX ix_tasks_owner_kind_ended_id ON tasks (owner, kind, ended, id);
CREATE INDEX ix_notifications_owner_at_id ON notifications (owner, at, id);
CREATE INDEX ix_deliveries_notification ON deliveries (notification);
CREATE INDEX ix_deliveries_state_due ON deliveries (state, due);
CREATE INDEX ix_sessions_owner_created ON sessions (owner, created);
CREATE INDEX ix_identities_owner ON identities (owner);
CREATE INDEX ix_invitations_owner_created ON invitations (owner, created);
CREATE INDEX ix_audit_owner_n ON audit (owner, n);
CREATE INDEX ix_audit_at ON audit (at);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE INDEX ix_members_owner ON members (owner);
CREATE INDEX ix_shares_with_kind_with_id_kind ON shares (with_kind, with_id, kind);
CREATE INDEX ix_jobs_project_created_id ON jobs (project, created, id);
CREATE INDEX ix_tasks_project_kind_created_id ON tasks (project, kind, created, id);
CREATE INDEX ix_images_owner_created_id ON images (owner, created, id);
CREATE INDEX ix_image_wishes_build ON image_wishes (build);
CREATE INDEX ix_scales_owner_created_id ON scales (owner, created, id);
CREATE INDEX ix_scales_state ON scales (state);
CREATE INDEX ix_scales_owner_fits_created ON scales (owner, fits, created);
CREATE INDEX ix_tasks_held ON tasks (owner, kind, created, id) WHERE phase = 'held';
CREATE INDEX ix_tasks_project_updated ON tasks (project, updated);
CREATE INDEX ix_image_moves_image ON image_moves (image);
CREATE INDEX ix_image_moves_owner_created_id ON image_moves (owner, created, id);
CREATE INDEX ix_dependencies_target_state ON dependencies (target, state);
CREATE INDEX ix_tasks_unconfirmed ON tasks (endpoint) WHERE unconfirmed;
CREATE INDEX ix_artifacts_owner_kind_created_digest ON artifacts (owner, kind, created, digest);
CREATE INDEX ix_artifact_places_subject ON artifact_places (subject);
CREATE INDEX ix_artifact_places_place ON artifact_places (place);
CREATE INDEX ix_tasks_not_archived ON tasks (ended, id) WHERE archived IS NULL;
CREATE INDEX ix_records_not_anchored ON records (changed) WHERE anchored < n;
CREATE INDEX ix_anchored_heads_task ON anchored_heads (task);
CREATE INDEX ix_scans_endpoint ON scans (endpoint);
CREATE INDEX ix_scans_owner_created_id ON scans (owner, created, id);
CREATE INDEX ix_tree_transfers_goal ON tree_transfers (goal);
CREATE INDEX ix_tree_transfers_source ON tree_transfers (source);
CREATE INDEX ix_tree_transfers_tree_goal ON tree_transfers (tree, goal);
CREATE INDEX ix_tree_transfers_owner_created_id ON tree_transfers (owner, created, id);
CREATE INDEX ix_saved_views_project_page ON saved_views (project, page);
CREATE INDEX ix_imported_runs_owner_created_id ON imported_runs (owner, created, id);
CREATE INDEX ix_imported_runs_project_created_id ON imported_runs (project, created, id);
CREATE INDEX ix_lineage_edges_digest_direction_task ON lineage_edges (digest, direction, task);
CREATE INDEX ix_reproductions_original_judged ON reproductions (original, judged);
CREATE INDEX ix_reproductions_state ON reproductions (state);
CREATE INDEX ix_results_scan ON results (scan);
CREATE INDEX ix_results_owner_tree ON results (owner, tree);
CREATE INDEX ix_models_owner_updated_id ON models (owner, updated, id);
CREATE INDEX ix_model_versions_task ON model_versions (task);
CREATE INDEX ix_model_versions_owner_tree ON model_versions (owner, tree);
CREATE INDEX ix_model_alias_moves_model ON model_alias_moves (model);
CREATE INDEX ix_record_imports_owner_created_id ON record_imports (owner, created, id);
CREATE INDEX ix_record_links_owner_created_id ON record_links (owner, created, id);
CREATE INDEX ix_datasets_owner_created_id ON datasets (owner, created, id);
CREATE INDEX ix_datasets_project ON datasets (project);
CREATE INDEX ix_dataset_versions_tree ON dataset_versions (tree);
CREATE INDEX ix_dataset_additions_dataset_created ON dataset_additions (dataset, created);
CREATE INDEX ix_dataset_uses_task ON dataset_uses (task);
CREATE INDEX ix_model_pushes_owner ON model_pushes (owner);
CREATE INDEX ix_pipelines_owner_created_id ON pipelines (owner, created, id);
CREATE INDEX ix_pipelines_state ON pipelines (state);
CREATE INDEX ix_pipeline_steps_owner_key ON pipeline_steps (owner, "key");
CREATE INDEX ix_pipeline_steps_task ON pipeline_steps (task);
CREATE INDEX ix_studies_owner_created_id ON studies (owner, created, id);
CREATE INDEX ix_studies_project ON studies (project);
CREATE INDEX ix_studies_state_open ON studies (state, open);
CREATE INDEX ix_study_trials_study_revision ON study_trials (study, revision);
CREATE INDEX ix_study_tasks_study_trial ON study_tasks (study, trial);
COMMIT;
